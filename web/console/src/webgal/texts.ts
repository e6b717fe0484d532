/** The words of this page come with it, not with the console. */

import { computed } from "@preact/signals";
import { language } from "../store";
import { webgalEn } from "../texts/webgal/en";
import { webgalZh } from "../texts/webgal/zh";

export const words = computed(() => (language.value === "zh" ? webgalZh : webgalEn));
