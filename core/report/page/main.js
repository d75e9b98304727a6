// Puts the page together. `data-drawn` of the root is set when all of it was painted: milliseconds since the page was asked for.

function select(job, scroll = false) {
  timeline.choose(job);
  showDetails(job, select);
  if (scroll) byId('time').scrollIntoView({ block: 'start' });
}

const timeline = new Timeline(select);
const table = new ElementTable(select);
let groupsOf = groupsByWorker;

function apply() {
  const filter = readFilter(byId('filter').value);
  const list = drawable.filter((job) => jobMatches(filter, job));
  const found = elements.filter((element) => elementMatches(filter, element));
  timeline.show(groupsOf(list));
  table.show(found);
  byId('matches').textContent = `${count(list.length)} of ${count(drawable.length)} jobs, ${count(found.length)} of ${count(elements.length)} elements`;
}

function choice(id, groups) {
  byId(id).addEventListener('click', () => {
    groupsOf = groups;
    for (const one of ['by-worker', 'by-token']) byId(one).setAttribute('aria-pressed', String(one === id));
    apply();
  });
}

choice('by-worker', groupsByWorker);
choice('by-token', groupsByToken);
byId('zoom-in').addEventListener('click', () => timeline.zoom(0.6));
byId('zoom-out').addEventListener('click', () => timeline.zoom(1 / 0.6));
byId('zoom-reset').addEventListener('click', () => timeline.reset());
let soon = 0;
byId('filter').addEventListener('input', () => {
  cancelAnimationFrame(soon);
  soon = requestAnimationFrame(apply);
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input')) return;
  event.preventDefault();
  byId('filter').focus();
});

showHeading();
showSummary();
showFailures(select);
showLegend();
apply();
showPath(select);
showNotes();
requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.drawn = performance.now().toFixed(1); }, 0));
