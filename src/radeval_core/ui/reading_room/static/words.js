// The words of the page. Names on the left are those of the export.

export const CATEGORIES = [
  ["false_finding", "False finding", "in the candidate, not in the reference"],
  ["missing_finding", "Missing finding", "in the reference, not in the candidate"],
  ["wrong_location", "Wrong location", "side, lobe, level or position"],
  ["wrong_severity", "Wrong severity", "size, degree or stage"],
  ["false_comparison", "False comparison", "a change the reference does not state"],
  ["omitted_comparison", "Omitted comparison", "a change the candidate leaves out"],
];
export const SIGNIFICANCE = [
  ["significant", "Significant", "could change what is done for the patient"],
  ["insignificant", "Other", "would not change it"],
];
export const RATINGS = ["dangerous", "very poor", "poor", "fair", "good", "as good as the reference"];
export const SEVERITIES = [
  ["1", "Not actionable", "not actionable"],
  ["2", "Actionable nonurgent error", "actionable"],
  ["3", "Urgent error", "urgent"],
  ["4", "Emergent error", "emergent"],
  ["v", "Invalid comparison", "invalid comparison"],
];
export const CONFIDENCE = ["a guess", "unsure", "fairly sure", "sure", "certain"];
export const LETTERS = "abcdef";
export const CONTEXT = { age: "Age", sex: "Sex", indication: "Indication", history: "History" };

export const KEYS = [
  ["Enter", "Finish the case and go to the next unfinished one"],
  ["n  p", "Next case, previous case"],
  ["o", "All cases: go to any of them"],
  ["a … f", "Add a significant error of category a to f"],
  ["Shift + a … f", "Add another (insignificant) error of category a to f"],
  ["0 … 5", "Rate the candidate"],
  ["x", "Switch between candidate A and B; the keys act on the marked one"],
  ["7  8  9", "A is better, no difference, B is better"],
  ["+  −", "More sure, less sure of the preference"],
  ["l", "Go to the lines of the candidate, to correct them"],
  ["↑  ↓", "In the lines: previous, next line"],
  ["Delete", "In the lines: delete the line, or keep it again"],
  ["r", "In the lines: rewrite the line; Enter ends it"],
  ["i", "In the lines: insert a line that is missing"],
  ["1 … 4  v", "In the lines: how severe the error is; v for an invalid comparison"],
  ["t", "In the lines: give a reason"],
  ["m", "Write a comment on the case"],
  ["Esc", "Leave a text field or the lines"],
  ["u  Shift + u", "Undo, redo (also Ctrl + Z, Ctrl + Y)"],
  ["Tab", "Move through all fields"],
  ["?", "This list"],
];

export function candidateName(number, count) {
  return count === 1 ? "Candidate" : `Candidate ${"AB"[number]}`;
}

export function missingInWords(missing, count) {
  const whose = count === 1 ? "" : ` of ${"AB"[missing.candidate]}`;
  const parts = {
    rating: `the rating${whose}`,
    severity: `the severity of a correction${whose}`,
    corrected: `the text of a correction${whose}`,
    preference: "the preference",
    confidence: "how sure you are of it",
  };
  return parts[missing.part];
}
