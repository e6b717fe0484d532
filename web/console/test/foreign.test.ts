import type { RequestEntry } from "@handrail/host";
import { expect, test } from "vitest";
import { postedByOther } from "../src/features/people/logic/foreign";
import { peopleEn } from "../src/features/people/texts/en";
import { peopleZh } from "../src/features/people/texts/zh";

const asked = (more: Partial<RequestEntry>, source?: string) => ({ ...more, prompt: { ...(source === undefined ? {} : { source }) } }) as unknown as RequestEntry;

test("a program that claims to be handrail is named as what it is, in both languages", () => {
  const forged = asked({ postedBy: "another program", claimedSource: "handrail/write_to_file" });
  expect(postedByOther(forged, peopleEn)).toBe("another program, which calls itself handrail/write_to_file (not handrail)");
  expect(postedByOther(forged, peopleZh)).toBe("其他程序，自称 handrail/write_to_file（不是 handrail）");
});

test("the source and the program that posted it are both shown", () => {
  expect(postedByOther(asked({ postedBy: "http:shop" }, "paint"), peopleEn)).toBe("paint · http:shop (not handrail)");
  expect(postedByOther(asked({}), peopleZh)).toBe("其他程序（不是 handrail）");
});
