import js from "@eslint/js";
import vitest from "@vitest/eslint-plugin";
import { defineConfig } from "eslint/config";
import prettier from "eslint-config-prettier";
import node from "eslint-plugin-n";
import importSort from "eslint-plugin-simple-import-sort";
import tseslint from "typescript-eslint";

const testFiles = ["**/test/**/*.ts", "test/**/*.ts"];

export default defineConfig(
  { ignores: ["**/dist/", "**/node_modules/", ".antler/", "coverage/", "test/conventions/fixtures/"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // Objects come from factories and never use `this`, so their methods may be taken apart.
      "@typescript-eslint/unbound-method": "off",
      "no-console": "error",
      "n/no-process-env": "error",
      complexity: ["error", 12],
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 4],
    },
  },
  {
    files: ["**/*.ts", "**/*.js", "**/*.mjs"],
    plugins: { n: node, "simple-import-sort": importSort },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "n/prefer-node-protocol": "error",
      "no-duplicate-imports": ["error", { allowSeparateTypeImports: true }],
      "no-restricted-syntax": [
        "error",
        { selector: "TSEnumDeclaration", message: "Use a union of literals or z.enum instead of an enum." },
        { selector: "ExportDefaultDeclaration", message: "Use a named export." },
        { selector: "ExportAllDeclaration", message: "Name each export." },
      ],
      "simple-import-sort/exports": "error",
      "simple-import-sort/imports": [
        "error",
        { groups: [["^\\u0000"], ["^node:"], ["^@?\\w"], ["^@antler/"], ["^\\."]] },
      ],
    },
  },
  { files: ["**/main.ts"], rules: { "n/no-process-env": "off" } },
  {
    files: testFiles,
    plugins: { vitest },
    rules: {
      ...vitest.configs.recommended.rules,
      "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "expect*", "assert*", "fc.assert"] }],
      "vitest/no-disabled-tests": "error",
      "vitest/valid-expect": ["error", { maxArgs: 2 }],
      "vitest/no-focused-tests": "error",
      "@typescript-eslint/no-non-null-assertion": "off",
      "n/no-process-env": "off",
      "max-lines": ["error", { max: 500, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": "off",
    },
  },
  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    languageOptions: {
      globals: Object.fromEntries(
        ["Buffer", "URL", "clearInterval", "console", "module", "process", "setInterval", "setTimeout"].map((name) => [
          name,
          name === "module" ? "writable" : "readonly",
        ]),
      ),
    },
  },
  { files: ["*.config.ts", "*.config.js"], rules: { "no-restricted-syntax": "off" } },
  prettier,
);
