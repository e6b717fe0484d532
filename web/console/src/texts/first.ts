/** Loads the texts of the person's language before anything is shown. */
import { language } from "../store";
import { loadTexts } from ".";

export const loaded = loadTexts(language.value);
