// Return what is hard to read on a page, or in the parts of it that `within` selects: text below 13 px, text with a
// contrast below 4.5 to 1, and what is cut off or must be scrolled sideways.
(within) => {
  const channels = (colour) => {
    const found = colour.match(/[\d.]+/g).map(Number);
    return found.length < 4 ? [...found, 1] : found;
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const own = channels(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, ground(element.parentElement));
  };
  const problems = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const words = walker.currentNode.data.trim();
    const box = element.getBoundingClientRect();
    if (!words || !box.width || !box.height || element.closest("script, style, title, option, noscript")) continue;
    if (within && !element.closest(within)) continue;
    const style = getComputedStyle(element);
    const drawing = element.closest("svg");
    const scale = drawing ? element.getScreenCTM().a : 1;
    const size = parseFloat(style.fontSize) * scale;
    if (size < 12.99) problems.add(`${size.toFixed(1)} px: ${words.slice(0, 40)}`);
    if (drawing) continue; // the ground of a text in a drawing is another shape
    const [light, dark] = [luminance(over(channels(style.color), ground(element))), luminance(ground(element))].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) problems.add(`${contrast.toFixed(2)}: ${element.className || element.tagName}: ${words.slice(0, 40)}`);
  }
  for (const box of document.querySelectorAll("body *")) {
    if (box.clientWidth <= 1 || box.scrollWidth <= box.clientWidth + 2 || (within && !box.closest(within))) continue;
    if (getComputedStyle(box).overflowX === "visible" || box.closest("textarea, input, [role=grid], .table-wrap, .cm-editor")) continue;
    if (box.matches("[role=region][tabindex]")) continue; // a named part that scrolls, also by keyboard: a wide table
    if (getComputedStyle(box).textOverflow === "ellipsis") continue; // shortened on purpose, as a long id is
    problems.add(`cut off: ${box.tagName} ${box.className} ${box.scrollWidth} > ${box.clientWidth}`);
  }
  return [...problems];
}
