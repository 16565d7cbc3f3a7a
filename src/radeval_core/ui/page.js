// A mark of a sheet and its entry in the list link to each other. Follow the link without changing the address, which may
// hold a shared pair. Without scripts the links work as links.
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest('.rs a[href^="#"]');
  if (!link) return;
  const place = document.getElementById(link.hash.slice(1));
  if (!place) return;
  event.preventDefault();
  const folded = place.closest("details");
  if (folded) folded.open = true;
  const target = place.matches("a") ? place : place.querySelector("a");
  place.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  target.focus({ preventScroll: true });
});
