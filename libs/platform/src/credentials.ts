const USERINFO = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi;

/** The text with user names and passwords taken out of every URL in it. */
export function withoutCredentials(text: string): string {
  return text.replace(USERINFO, "$1");
}
