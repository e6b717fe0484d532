/** The words of this page come with it, not with the console. */

import { computed } from "@preact/signals";
import { language } from "../../store";
import { reviewEn } from "./texts/en";
import { reviewZh } from "./texts/zh";

export const words = computed(() => (language.value === "zh" ? reviewZh : reviewEn));
