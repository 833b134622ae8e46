import { COUNTS_PATH, WORKSPACE_PATH } from "../survey-brief.ts";

/** Extensions by language; the first that matches decides, all others are counted as "Other". */
export const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  Python: ["py", "pyi"],
  TypeScript: ["ts", "tsx", "mts", "cts"],
  JavaScript: ["js", "jsx", "mjs", "cjs"],
  Go: ["go"],
  Rust: ["rs"],
  Java: ["java"],
  Kotlin: ["kt", "kts"],
  C: ["c", "h"],
  "C++": ["cc", "cpp", "cxx", "hpp", "hh"],
  "C#": ["cs"],
  Ruby: ["rb"],
  PHP: ["php"],
  Swift: ["swift"],
  Shell: ["sh", "bash", "zsh"],
  SQL: ["sql"],
  HTML: ["html", "htm"],
  CSS: ["css", "scss"],
  JSON: ["json"],
  YAML: ["yaml", "yml"],
  TOML: ["toml"],
  Markdown: ["md", "mdx"],
  Text: ["txt"],
};

function countLine([language, extensions]: readonly [string, readonly string[]]): string {
  const names = extensions.map((extension) => `-name '*.${extension}'`).join(" -o ");
  return `count '${language}' \\( ${names} \\)`;
}

/**
 * A portable shell script that counts the workspace and writes the counts. File names only ever travel as arguments,
 * so none of them can be misread, whatever it holds; lines are newline characters, as `wc -l` counts them.
 */
export const COUNTING_COMMAND = `cd "${WORKSPACE_PATH}" || exit 1
files_of() { find . -type f "$@" -exec sh -c 'echo $#' sh {} + | awk '{ n += $1 } END { print n + 0 }'; }
lines_of() { echo $(( $(find . -type f "$@" -exec cat {} + | wc -l) )); }
languages= counted_files=0 counted_lines=0
add() {
  languages="$languages\${languages:+,}\\"$1\\":{\\"files\\":$2,\\"lines\\":$3}"
  counted_files=$((counted_files + $2)) counted_lines=$((counted_lines + $3))
}
count() {
  language=$1; shift
  files=$(files_of "$@")
  [ "$files" -eq 0 ] || add "$language" "$files" "$(lines_of "$@")"
}
${Object.entries(LANGUAGES).map(countLine).join("\n")}
all_files=$(files_of) all_lines=$(lines_of)
[ "$all_files" -eq "$counted_files" ] || add Other $((all_files - counted_files)) $((all_lines - counted_lines))
printf '{"files":%s,"lines":%s,"languages":{%s}}\\n' "$all_files" "$all_lines" "$languages" > "${COUNTS_PATH}" || exit 1
cat "${COUNTS_PATH}"`;
