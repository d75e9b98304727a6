// Heading, figures, failures, critical path and notes: what does not change with the filter.

const kFailures = 20, kOpenFailures = 5, kPathJobs = 60, kNotes = 50;

function showHeading() {
  const result = raw.stand === 'over' ? raw.result : raw.stand;
  document.title = `${raw.project || 'weir'} run ${raw.run}: ${result}`;
  const started = new Date(raw.start);
  const facts = make('p', 'facts', make('span', '', make('code', '', ['weir', ...raw.arguments].join(' '))),
    make('span', '', Number.isNaN(started.getTime()) ? raw.start : started.toLocaleString()), make('span', '', `took ${duration(wallSeconds())}`),
    raw.exit === undefined ? null : make('span', '', `exit code ${raw.exit}`));
  byId('heading').replaceChildren(
    make('div', 'top', make('h1', '', `${raw.project || 'weir'}, run ${raw.run}`), make('span', `badge ${resultTone(result)}`, result)), facts);
  if (raw.stand === 'running') byId('heading').append(make('p', 'banner', 'This run was still under way when this page was made: it shows what there was by then.'));
  if (raw.stand === 'killed') byId('heading').append(make('p', 'banner', 'This run has no end: its weir was killed. The page shows what was known until then.'));
  byId('footer').textContent = `Made by weir ${raw.weir}. This page needs no network, and nothing in it leaves this computer.`;
}

const wallSeconds = () => (raw.seconds === undefined ? raw.last / 1e6 : raw.seconds);

function figure(value, name, tone = '', title = '') {
  const node = make('div', `figure ${value === '0' ? 'none' : ''}`, make('b', value === '0' ? '' : tone, value), make('span', '', name));
  node.title = title || name;
  return node;
}

function showSummary() {
  const { counts } = raw;
  const figures = ['built', 'cached', 'pulled', 'fetched', 'pushed'].map((name) => figure(count(counts[name]), name));
  if (counts.tracked) figures.push(figure(count(counts.tracked), 'tracked'));
  figures.push(figure(count(counts.failed), 'failed', 'bad'), figure(count(counts.notStarted), 'not finished', 'note'));
  figures.push(figure(duration(wallSeconds()), 'wall time'));
  if (raw.criticalPath !== undefined) figures.push(figure(duration(raw.criticalPath), 'critical path'));
  if (raw.efficiency) {
    const busy = (raw.efficiency * raw.cores).toFixed(1);
    figures.push(figure(`${Math.round(raw.efficiency * 100)} %`, `${busy} of ${raw.cores} cores`, '', 'parallel efficiency: core time of all jobs beside what there was'));
  }
  if (raw.largestBytes) figures.push(figure(bytes(raw.largestBytes), `largest: ${raw.largest}`, '', `largest job: ${raw.largest}`));
  byId('summary').replaceChildren(...figures);
}

function failureNode(failure, open, select) {
  const job = failure.job === undefined ? null : jobById.get(failure.job);
  const body = make('div');
  const line = (name, ...value) => body.append(make('p', '', make('span', 'soft', `${name} `), ...value));
  if (failure.evidence) line('because', failure.evidence);
  if (failure.command) line('command', make('code', '', failure.command));
  line('to do', failure.cure);
  if (failure.changes) {
    line(failure.changedSince ? `changed since run ${failure.changedSince} built it:` : 'changed since it last was built:');
    body.append(make('ul', '', ...failure.changes.map((one) => make('li', '', one))));
  }
  const log = job && logOf.get(job.id);
  if (log) body.append(...logPart(log));
  if (job && job.started) body.append(make('p', '', button('name', 'Show in the timeline', () => select(job, true))));
  const node = make('details', 'failure', make('summary', '', failure.headline), body);
  node.open = open;
  return node;
}

function showFailures(select) {
  const section = byId('failures');
  section.hidden = raw.failures.length === 0;
  const more = button('more', '', () => {});
  section.append(more);
  let shown = 0;
  boundedList(raw.failures, kFailures, kFailures, more,
    (part) => section.querySelector('.list').append(...part.map((failure) => failureNode(failure, shown++ < kOpenFailures, select))));
  for (const log of section.querySelectorAll('.log')) log.scrollTop = log.scrollHeight;
}

function showPath(select) {
  const section = byId('path');
  section.hidden = critical.length === 0;
  if (!critical.length) return;
  const longest = Math.max(...critical.map((job) => job.seconds), 1e-9);
  const sum = critical.reduce((total, job) => total + job.seconds, 0);
  const wall = wallSeconds();
  section.querySelector('.lead').textContent = `${count(critical.length)} jobs that waited for each other took ${duration(sum)}` +
    (wall > 0 ? `, ${Math.round(sum / wall * 100)} % of the run. However many cores there are, it cannot be shorter.` : '.');
  boundedList(critical, kPathJobs, kPathJobs * 5, section.querySelector('.more'), (part) => section.querySelector('ol').append(...part.map((job) => {
    const bar = make('div', 'bar');
    bar.style.width = `${job.seconds / longest * 100}%`;
    bar.style.background = `var(--queue-${colorOfQueue.get(job.queue)})`;
    return make('li', '', button('name', `${job.queue} ${job.element}`, () => select(job, true)), make('span', 'time', duration(job.seconds)), bar);
  })));
}

function showNotes() {
  const section = byId('notes');
  section.hidden = raw.notes.length === 0;
  boundedList(raw.notes, kNotes, kNotes * 10, section.querySelector('.more'),
    (part) => section.querySelector('ul').append(...part.map(([at, text]) => make('li', '', make('span', 'soft', `${moment(at)} `), text))));
}

function showLegend() {
  const item = (mark, text) => make('li', '', mark, text);
  const used = new Set(drawable.map((job) => job.queue));
  const colors = queues.filter((queue) => used.has(queue)).map((queue) => {
    const mark = make('i');
    mark.style.background = `var(--queue-${colorOfQueue.get(queue)})`;
    return item(mark, queue);
  });
  if (drawable.some((job) => job.result === 'failed')) colors.push(item(make('i', 'failed'), 'failed'));
  if (critical.length) colors.push(item(make('i', 'critical'), 'critical path'));
  if (drawable.some((job) => job.suspended.length)) colors.push(item(make('i', 'suspended'), 'suspended'));
  byId('legend').replaceChildren(...colors);
}
