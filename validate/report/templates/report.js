"use strict";
(() => {
  const EMBED = { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true } };
  const NAMES = 0.34; // how much of a drawing's width the names of its rows may take

  /* Figures: specs hold no data, panels hold rows; a view is what the reader's choices select. */
  const records = (columns, rows) => rows.map((row) => Object.fromEntries(columns.map((name, j) => [name, row[j]])));

  const element = (tag, className, text = "") => {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  };

  const drawPanel = (figure, panel, place) => {
    const plot = element("div", "plot");
    plot.setAttribute("aria-hidden", "true"); // the panel is described as a whole, and its numbers stand in tables
    const box = element("div", "panel");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", `${figure.title}: ${panel.title}`);
    const title = element("p", "panel-title", panel.title);
    box.append(title, plot);
    place.append(box);
    const datasets = {};
    for (const [name, rows] of Object.entries(panel.data)) datasets[name] = records(figure.columns[name], rows);
    const spec = { ...figure.specs[panel.spec], height: panel.height, datasets };
    return () => vegaEmbed(plot, spec, { ...EMBED, config: { axisY: { labelLimit: plot.clientWidth * NAMES } } });
  };

  const draw = async (node, figure, view) => {
    const place = node.querySelector(".panels");
    place.replaceChildren();
    node.dataset.drawn = "no";
    for (const embed of view.panels.map((panel) => drawPanel(figure, panel, place))) await embed();
    node.dataset.drawn = "yes";
  };

  const choose = (node, figure) => {
    const selects = [...node.querySelectorAll("select")];
    const wanted = Object.fromEntries(selects.map((select) => [select.dataset.choice, select.value]));
    return figure.views.find((view) => Object.entries(wanted).every(([name, value]) => view.choice[name] === value));
  };

  const start = async (node) => {
    const figure = JSON.parse(node.querySelector("script").textContent);
    for (const select of node.querySelectorAll("select")) {
      select.addEventListener("change", () => {
        const view = choose(node, figure);
        node.querySelectorAll(".says p").forEach((sentence, j) => { sentence.hidden = figure.views[j] !== view; });
        draw(node, figure, view);
      });
    }
    await draw(node, figure, choose(node, figure) ?? figure.views[0]);
  };

  /* Tables: a button in each heading turns the order of the rows. */
  const key = (cell) => {
    const number = cell.querySelector("data");
    return number ? parseFloat(number.value) : cell.textContent.trim();
  };

  const before = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b);
  };

  const sort = (table, heading, j) => {
    const descending = heading.getAttribute("aria-sort") === "ascending" || (!heading.hasAttribute("aria-sort") && heading.className === "number");
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[j]), row]);
    rows.sort(([a], [b]) => (typeof a === typeof b && descending ? before(b, a) : before(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };

  const makeSortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((heading, j) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading, j));
    });
  };

  /* Tables wider than the screen say that they scroll. */
  const sayWhatIsHidden = (box) => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("more", wide);
    box.previousElementSibling.hidden = !wide;
  };

  const followWidths = () => {
    const observer = new ResizeObserver((entries) => { for (const entry of entries) sayWhatIsHidden(entry.target); });
    for (const box of document.querySelectorAll(".scroll")) observer.observe(box);
  };

  /* Contents: the part that is being read is marked. */
  const followReader = () => {
    const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(entry.target.id)?.setAttribute("aria-current", "true");
      }
    }, { rootMargin: "-15% 0px -75% 0px" });
    for (const section of document.querySelectorAll("main > section")) observer.observe(section);
  };

  const run = async () => {
    document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
    followReader();
    followWidths();
    for (const node of document.querySelectorAll("figure[data-figure]")) await start(node);
    document.documentElement.dataset.drawn = "yes";
  };

  run();
})();
