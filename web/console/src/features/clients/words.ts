/** The words of this page come with it, not with the console. */

import { computed } from "@preact/signals";
import { language } from "../../store";
import { clientsEn } from "./texts/en";
import { clientsZh } from "./texts/zh";

export const words = computed(() => (language.value === "zh" ? clientsZh : clientsEn));
