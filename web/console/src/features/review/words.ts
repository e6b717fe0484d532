/** The texts of this page, loaded with it and not with the console. */

import { computed } from "@preact/signals";
import { language } from "../../store";
import { reviewEn } from "./texts/en";
import { reviewZh } from "./texts/zh";

export const words = computed(() => (language.value === "zh" ? reviewZh : reviewEn));
