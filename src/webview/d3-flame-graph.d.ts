/** The part of d3-flame-graph 5 that is used; it ships no types. */
declare module 'd3-flame-graph' {
  export interface FlameDatum {
    readonly name: string;
    readonly value: number;
    readonly children: readonly FlameDatum[];
  }
  export interface FlameFrame<D> {
    readonly data: D;
    readonly parent: FlameFrame<D> | null;
    readonly depth: number;
    highlight?: boolean;
  }
  export interface FlameGraph<D> {
    (selection: unknown): void;
    width(pixels: number): this;
    cellHeight(pixels: number): this;
    minFrameSize(pixels: number): this;
    transitionDuration(milliseconds: number): this;
    inverted(isInverted: boolean): this;
    selfValue(isSelf: boolean): this;
    sort(order: boolean): this;
    setSearchMatch(matches: (frame: FlameFrame<D>, term: string) => boolean): this;
    setColorMapper(colour: (frame: FlameFrame<D>, original: string) => string): this;
    setLabelHandler(label: (frame: FlameFrame<D>) => string): this;
    setSearchHandler(handler: (results: unknown, sum: number, total: number) => void): this;
    onClick(handler: (frame: FlameFrame<D>) => void): this;
    onHover(handler: (frame: FlameFrame<D>) => void): this;
    search(term: string): unknown;
    clear(): void;
    zoomTo(frame: FlameFrame<D>): void;
    resetZoom(): void;
    destroy(): void;
  }
  export default function flamegraph<D>(): FlameGraph<D>;
}

declare module 'd3-selection' {
  export interface Selection {
    datum(): unknown;
    datum(value: unknown): this;
    call(run: unknown): this;
    selectAll(selector: string): Selection;
    /** d3-flame-graph brings it along. */
    interrupt(): this;
    each(run: (this: Element, datum: unknown) => void): this;
  }
  export function select(node: Element): Selection;
}
