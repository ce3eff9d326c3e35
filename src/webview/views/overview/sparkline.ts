/** A small picture of CPU time over the recording. It says nothing that the figures beside it do not: screen readers skip it. */
const svgNamespace = 'http://www.w3.org/2000/svg';

/** `highest`: the value that is as high as the picture. */
export function sparkline(points: Float32Array, highest: number): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', `0 0 ${points.length} 1`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('class', 'sparkline');
  svg.setAttribute('aria-hidden', 'true');
  const area = document.createElementNS(svgNamespace, 'path');
  let path = 'M0 1';
  for (let at = 0; at < points.length; at++) {
    const share = highest > 0 ? Math.min(1, (points[at] ?? 0) / highest) : 0;
    path += `V${(1 - share).toFixed(3)}H${at + 1}`;
  }
  area.setAttribute('d', `${path}V1Z`);
  svg.append(area);
  return svg;
}

export function highestOf(points: Float32Array): number {
  let highest = 0;
  for (const point of points) highest = Math.max(highest, point);
  return highest;
}
