/** Makes every view but the timeline, which the page holds by itself. */
import type { ViewContext } from '../model.js';
import { CallersView } from './callers/callers-view.js';
import { CompareView } from './compare/compare-view.js';
import { FlameGraphView } from './flame-graph/flame-graph-view.js';
import { MessagesView } from './messages/messages-view.js';
import { MethodsView } from './methods/methods-view.js';
import { OverviewView } from './overview/overview-view.js';
import { TreeView } from './tree-view.js';
import type { FigureView } from './view.js';

export function createViews(context: ViewContext): readonly FigureView[] {
  return [
    new OverviewView(context),
    new FlameGraphView(context),
    new TreeView(context, 'down'),
    new TreeView(context, 'up'),
    new MethodsView(context),
    new CallersView(context),
    new MessagesView(context),
    new CompareView(context),
  ];
}
