/** Cells of pasted text: csv as RFC 4180 has it, with quotes, quotes inside of them, and line breaks. */

const DELIMITERS = ["\t", ",", ";", "|"];

/** @param {string} text @param {string} delimiter @returns {string[][]} records without the empty ones */
export function parseCsv(text, delimiter) {
  const records = [];
  let record = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    record.push(cell.trim());
    cell = "";
  };
  const endRecord = () => {
    endCell();
    if (record.some((part) => part !== "")) records.push(record);
    record = [];
  };
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (quoted && sign === '"' && text[i + 1] === '"') {
      cell += '"';
      i += 1;
    } else if (quoted) {
      if (sign === '"') quoted = false;
      else cell += sign;
    } else if (sign === '"' && cell.trim() === "") {
      cell = "";
      quoted = true;
    } else if (sign === delimiter) endCell();
    else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && text[i + 1] === "\n") i += 1;
      endRecord();
    } else cell += sign;
  }
  endRecord();
  return records;
}

/** The records by the delimiter that makes the most cells, a tab before a comma. @param {string} text */
export function recordsOf(text) {
  const readings = DELIMITERS.map((sign) => parseCsv(text, sign));
  return readings.reduce((best, other) => ((other[0]?.length ?? 0) > (best[0]?.length ?? 0) ? other : best));
}
