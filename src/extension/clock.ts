/** 0:07, 12:34, 1:02:03 */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const head = hours > 0 ? `${String(hours)}:${two(minutes)}` : String(minutes);
  return `${head}:${two(seconds % 60)}`;
}
