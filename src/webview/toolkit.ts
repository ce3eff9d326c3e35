/**
 * The control kit, in one place so that another can take its place: it is archived. Only the parts that are used are
 * registered; the rest of the page knows their tags and events only.
 */
import {
  Button,
  TextField,
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';

/** As a field comes into the page, the kit calls it "Text field", whatever its name was. */
function keepNamesOfFields(): void {
  const connect: () => void = Reflect.get(TextField.prototype, 'connectedCallback');
  TextField.prototype.connectedCallback = function (this: TextField): void {
    const name = this.getAttribute('aria-label');
    connect.call(this);
    if (name !== null) this.setAttribute('aria-label', name);
  };
}

/** The kit's button takes its name over into what a reader is told of it, but not that it is pressed. */
function tellAllOfButtons(): void {
  const { prototype } = Button;
  type Changed = (name: string, before: string, now: string) => void;
  const changed: Changed = Reflect.get(prototype, 'attributeChangedCallback');
  prototype.attributeChangedCallback = function (this: Button, ...change: Parameters<Changed>): void {
    this.$fastController.onAttributeChangedCallback(...change);
    changed.apply(this, change);
  };
}

export function registerControls(): void {
  keepNamesOfFields();
  tellAllOfButtons();
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeCheckbox(),
    vsCodeDropdown(),
    vsCodeOption(),
    vsCodeTextField(),
  );
}

/** What the page reads and sets on the kit's elements. */
export interface ValueControl extends HTMLElement {
  value: string;
}

export interface CheckControl extends HTMLElement {
  checked: boolean;
}
