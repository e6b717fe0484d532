/** The texts of this card in the console's language. */

import { computed } from "@preact/signals";
import { language } from "../../store";
import { notificationsEn } from "./texts/en";
import { notificationsZh } from "./texts/zh";

export const words = computed(() => (language.value === "zh" ? notificationsZh : notificationsEn));
