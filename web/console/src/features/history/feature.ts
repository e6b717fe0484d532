import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { reloadCalls } from "./actions/calls";
import "./lists.css";
import { foldRecords, type AuditRecord } from "./logic/calls";
import { calls } from "./store";

export const history: Feature = {
  pages: [{ name: "history", group: "work", formerly: ["activity"], icon: "M4 5h16v14H4zM4 9h16M4 15h16M9 5v14M15 5v14", View: lazily(async () => (await import("./components/History")).History) }],
  listen(line) {
    line.on("activity", ({ records }: { records: AuditRecord[] }) => {
      calls.value = foldRecords(calls.value, records);
    });
  },
  reload: reloadCalls,
};
