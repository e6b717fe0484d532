/** The texts of this page, loaded with it and not with the console. */

import { computed } from "@preact/signals";
import { language } from "../../store";
import { appsEn } from "./texts/en";
import { appsZh } from "./texts/zh";

export const words = computed(() => (language.value === "zh" ? appsZh : appsEn));
