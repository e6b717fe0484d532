import type { Feature } from "../../shell/feature";
import { reloadCalls } from "./actions";
import { Activity } from "./components/Activity";
import "./lists.css";
import { foldRecords, type AuditRecord } from "./logic/calls";
import { calls } from "./store";
import { historyEn } from "./texts/en";
import type { HistoryTexts } from "./texts/shape";
import { historyZh } from "./texts/zh";

export const history: Feature<HistoryTexts> = {
  texts: { en: historyEn, zh: historyZh },
  pages: [{ name: "activity", icon: "M3 12h4l3-8 4 16 3-8h4", View: Activity }],
  listen(line) {
    line.on("activity", ({ records }: { records: AuditRecord[] }) => {
      calls.value = foldRecords(calls.value, records);
    });
  },
  reload: reloadCalls,
};
