/** What a menu is asked for: by a view, of the thing that was right-clicked or is selected. */
export interface MenuRequest {
  /** Of the window, in CSS pixels. */
  readonly x: number;
  readonly y: number;
  /** Absent, or negative: it is of no method. */
  readonly method?: number;
  /** Methods from the innermost one to the outermost. */
  readonly stack?: readonly number[];
  readonly thread?: number;
  /** Makes it as wide as the view. */
  readonly zoom?: () => void;
}

/** The keys that stand for a right click. */
export function isMenuKey(event: KeyboardEvent): boolean {
  return event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
}
