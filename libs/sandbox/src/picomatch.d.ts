declare module "picomatch" {
  interface PicomatchOptions {
    readonly dot?: boolean;
    readonly basename?: boolean;
    readonly nocase?: boolean;
    readonly strictBrackets?: boolean;
  }
  type Matcher = (text: string) => boolean;
  const picomatch: (pattern: string | readonly string[], options?: PicomatchOptions) => Matcher;
  export = picomatch;
}
