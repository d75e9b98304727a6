// Wheel, mouse and keys on the timeline, and what is told of what lies under the mouse.

function listenToTimeline(timeline) {
  const { canvas, scroller } = timeline;
  let lastPageScroll = -1000;
  window.addEventListener('scroll', () => { lastPageScroll = performance.now(); }, { passive: true });
  scroller.addEventListener('scroll', () => timeline.redraw(), { passive: true });
  new ResizeObserver(() => { if (scroller.clientWidth !== timeline.width) timeline.resize(); }).observe(scroller);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    timeline.readColors();
    timeline.draw();
  });
  canvas.addEventListener('wheel', (event) => {
    // Who scrolls the page over the timeline goes on scrolling; so does who is zoomed out already.
    const out = event.deltaY > 0 && timeline.view.to - timeline.view.from >= lastTime;
    if (!event.ctrlKey && (performance.now() - lastPageScroll < 400 || (out && !event.deltaX))) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.pan((event.deltaX || event.deltaY) / 1000);
    else timeline.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) / 400), timeline.time(Math.max(kGutter, event.offsetX)));
  }, { passive: false });
  listenToPointer(timeline);
  canvas.addEventListener('dblclick', () => timeline.reset());
  canvas.addEventListener('keydown', (event) => pressKey(timeline, event));
}

function listenToPointer(timeline) {
  const { canvas } = timeline;
  let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, y: event.clientY, view: timeline.view, top: timeline.scroller.scrollTop, moved: false, marks: event.offsetY < kScale || event.shiftKey };
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!drag) return hover(timeline, event);
    if (Math.abs(event.offsetX - drag.x) + Math.abs(event.clientY - drag.y) > 3) drag.moved = true;
    if (!drag.moved) return;
    timeline.tooltip.hidden = true;
    canvas.classList.add('moving');
    if (drag.marks) {
      timeline.marked = [Math.max(kGutter, drag.x), Math.max(kGutter, event.offsetX)];
      timeline.redraw();
      return;
    }
    const by = (drag.x - event.offsetX) / (timeline.width - kGutter - 8) * (drag.view.to - drag.view.from);
    timeline.scroller.scrollTop = drag.top + drag.y - event.clientY;
    timeline.setView(drag.view.from + by, drag.view.to + by);
  });
  const release = (event) => {
    canvas.classList.remove('moving');
    const done = drag, marked = timeline.marked;
    drag = timeline.marked = null;
    if (!done || event.type === 'pointercancel') return;
    if (!done.moved) timeline.select(timeline.jobAt(event.offsetX, event.offsetY));
    else if (marked && Math.abs(marked[1] - marked[0]) > 3) timeline.setView(timeline.time(Math.min(...marked)), timeline.time(Math.max(...marked)));
    timeline.redraw();
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => { timeline.tooltip.hidden = true; });
}

function hover(timeline, event) {
  const job = timeline.jobAt(event.offsetX, event.offsetY);
  const row = job ? null : timeline.rowAt(event.offsetY);
  timeline.canvas.classList.toggle('on-job', Boolean(job));
  timeline.canvas.classList.toggle('on-scale', event.offsetY < kScale);
  if (job) tell(timeline, event, jobSummary(job));
  else if (row && row.group.usage && !row.track && event.offsetX >= kGutter) tell(timeline, event, usageSummary(row.group, timeline.time(event.offsetX)));
  else timeline.tooltip.hidden = true;
}

function tell(timeline, event, [title, ...lines]) {
  const { tooltip } = timeline;
  tooltip.replaceChildren(make('b', '', title), ...lines.map((line) => make('span', '', line)));
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tooltip.style.top = `${event.clientY + 18 + height > innerHeight ? Math.max(4, event.clientY - height - 12) : event.clientY + 18}px`;
}

function pressKey(timeline, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    ArrowLeft: () => timeline.pan(-0.1), ArrowRight: () => timeline.pan(0.1), '+': () => timeline.zoom(0.7), '=': () => timeline.zoom(0.7),
    '-': () => timeline.zoom(1 / 0.7), 0: () => timeline.reset(), n: () => chooseNeighbour(timeline, 1), p: () => chooseNeighbour(timeline, -1),
    ArrowUp: () => { timeline.scroller.scrollTop -= kRow * 2; }, ArrowDown: () => { timeline.scroller.scrollTop += kRow * 2; },
  };
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
}

function chooseNeighbour(timeline, by) {
  const all = [...new Set(timeline.groups.flatMap((group) => group.tracks.flat()))].sort((a, b) => a.start - b.start || a.id - b.id);
  const at = all.indexOf(timeline.chosen);
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  if (next) timeline.select(next);
}

function jobSummary(job) {
  const lines = [`${job.queue} ${job.element}`, `${resultText(job)} after ${duration(job.seconds || (job.end - job.start) / 1e6)}`,
    `${moment(job.start)} to ${moment(job.end)} of the run, on ${job.worker}`];
  if (job.attempt > 1) lines.push(`attempt ${job.attempt}`);
  if (job.critical) lines.push('on the critical path');
  return lines;
}

function usageSummary(group, time) {
  const holders = group.tracks.flatMap((track) => {
    const job = track[firstVisible(track, time)];
    return job && job.start <= time && time < job.end ? [job] : [];
  });
  const used = holders.reduce((sum, job) => sum + amountOf(job, group.token), 0);
  const lines = holders.sort((a, b) => amountOf(b, group.token) - amountOf(a, group.token)).slice(0, 8)
    .map((job) => `${tokenAmount(group.token, amountOf(job, group.token))}  ${job.queue} ${job.element}`);
  if (holders.length > 8) lines.push(`and ${holders.length - 8} more`);
  const room = group.capacity ? ` of ${tokenAmount(group.token, group.capacity)}` : '';
  return [`${group.name} at ${moment(time)}: ${tokenAmount(group.token, used)}${room}`, ...lines];
}
