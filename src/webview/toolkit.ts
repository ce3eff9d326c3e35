/**
 * The control kit, in one place so that another can take its place: it is archived. Only the parts that are used are
 * registered; the rest of the page knows their tags and events only.
 */
import {
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

export function registerControls(): void {
  keepNamesOfFields();
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
