/** A mangled name that says what is not known here, or is damaged: it stays as it is. */
export class Unreadable extends Error {
  constructor() {
    super('no mangled name');
  }
}
