import { COUNTS_PATH, WORKSPACE_PATH } from "../survey-brief.ts";

/** Extensions by language; the first that matches decides, all others are counted as "Other". */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
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

const languages = Object.entries(LANGUAGES);

/** `*.py | *.pyi) echo 'Python' ;;` */
const namings = languages.map(([language, extensions]) => {
  const patterns = extensions.map((extension) => `*.${extension}`).join(" | ");
  return `${patterns}) echo "${language}" ;;`;
});

/** `'Python') lines_of -name '*.py' -o -name '*.pyi' ;;` */
const lineCounts = languages.map(([language, extensions]) => {
  const names = extensions.map((extension) => `-name '*.${extension}'`).join(" -o ");
  return `'${language}') lines_of ${names} ;;`;
});

/**
 * A portable shell script that counts the workspace and writes the counts. File names only ever travel as arguments,
 * so none of them can be misread, whatever it holds; lines are newline characters, as `wc -l` counts them.
 */
export const COUNTING_COMMAND = `cd "${WORKSPACE_PATH}" || exit 1
languages_of_files() {
  find . -type f -exec sh -c 'for file do case $file in
${namings.join("\n")}
*) echo Other ;;
esac; done' sh {} +
}
lines_of() { find . -type f \\( "$@" \\) -exec cat {} + | wc -l; }
lines_of_language() {
case $1 in
${lineCounts.join("\n")}
esac
}
found=$(languages_of_files | sort | uniq -c | sort -k 1,1nr)
all_lines=$(($(find . -type f -exec cat {} + | wc -l))) all_files=0 counted_lines=0 languages= other_files=0
add() { languages="$languages\${languages:+,}\\"$1\\":{\\"files\\":$2,\\"lines\\":$3}"; }
while read -r files language; do
  all_files=$((all_files + files))
  if [ "$language" = Other ]; then other_files=$files; continue; fi
  lines=$(($(lines_of_language "$language")))
  counted_lines=$((counted_lines + lines))
  add "$language" "$files" "$lines"
done <<END
$found
END
[ "$other_files" -eq 0 ] || add Other "$other_files" $((all_lines - counted_lines))
printf '{"files":%s,"lines":%s,"languages":{%s}}\\n' "$all_files" "$all_lines" "$languages" > "${COUNTS_PATH}" || exit 1
cat "${COUNTS_PATH}"`;
