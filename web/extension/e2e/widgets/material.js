import "@material/web/all.js";
document.body.innerHTML = `
  <md-filled-button id="save">Save</md-filled-button> <md-checkbox aria-label="Agree"></md-checkbox> <md-switch aria-label="Dark"></md-switch>
  <md-outlined-text-field label="City"></md-outlined-text-field>
  <md-filled-select label="Size"><md-select-option value="s"><div slot="headline">Small</div></md-select-option><md-select-option value="l"><div slot="headline">Large</div></md-select-option></md-filled-select>
  <md-tabs><md-primary-tab>Home</md-primary-tab><md-primary-tab>Mail</md-primary-tab></md-tabs><p id="told">-</p>`;
save.onclick = () => (told.textContent = "saved");
document.title = "ready";
