/** Style sheets are bundled as text and put into a style element that carries the document's nonce. */
declare module '*.css' {
  const sheet: string;
  export default sheet;
}
