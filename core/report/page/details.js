// All that is known of one job, beside the timeline.

function logPart(log) {
  const parts = [];
  if (log.error) parts.push(make('p', 'bad', 'First error: ', make('code', '', log.error)));
  if (!log.bytes) return [...parts, make('p', 'soft', 'It wrote nothing.')];
  if (!log.text) return [...parts, make('p', 'soft', `Its log of ${bytes(log.bytes)} is not in this page: there was no room left.`)];
  if (!log.all) parts.push(make('p', 'soft', `The end of a log of ${bytes(log.bytes)}:`));
  parts.push(make('pre', 'log', log.text));
  return parts;
}

function factsOf(job) {
  const facts = [['result', resultText(job)]];
  const add = (name, value) => { if (value) facts.push([name, value]); };
  if (job.exit !== undefined) add('ended with', exitText(job.exit));
  add('evidence', job.evidence);
  if (job.started) {
    add('time', `${duration(job.seconds || (job.end - job.start) / 1e6)}, from ${moment(job.start)} to ${moment(job.end)}`);
    add('expected', job.expected && duration(job.expected));
    const still = job.suspended.reduce((sum, [from, to]) => sum + to - from, 0);
    add('suspended', job.suspended.length && duration(still / 1e6));
  }
  if (job.waits.length) {
    const what = [...new Set(job.waits.map((wait) => wait.what))].join(', ');
    add('waited', job.started ? `${span(job.waits[0].since, job.start)} for ${what}` : `for ${what}`);
  }
  add('CPU', job.cpu && duration(job.cpu));
  add('memory', job.peak && `${bytes(job.peak)} at the most`);
  add('moved', job.moved && bytes(job.moved));
  add('tokens', job.tokens.map(({ name, amount }) => `${name} ${tokenAmount(name, amount)}`).join(', '));
  add('worker', job.worker);
  add('attempt', job.attempt > 1 && job.attempt);
  add('asked for by', [job.requestor, job.class].filter((text) => text).join(', class '));
  add('critical path', job.critical && 'yes');
  add('key', job.key);
  add('job', String(job.id));
  return facts;
}

function showDetails(job, select) {
  const panel = byId('details');
  panel.closest('.stage').classList.toggle('with-details', Boolean(job));
  if (!job) return panel.replaceChildren();
  const list = make('dl');
  for (const [name, value] of factsOf(job)) list.append(make('dt', '', name), make('dd', name === 'key' ? 'mono' : '', value));
  const close = button('close', '\u2715', () => select(null));
  close.setAttribute('aria-label', 'Close');
  panel.replaceChildren(close, make('h3', '', `${job.queue} ${job.element}`), list);
  if (job.steps.length) {
    const steps = job.steps.map((step) => make('li', '', make('code', '', step.command || 'a command'), ` ${duration(step.seconds)}`,
      step.exit ? make('span', 'bad', `, ${exitText(step.exit)}`) : null));
    panel.append(make('h4', '', 'Steps'), make('ol', '', ...steps));
  }
  const others = job.of ? job.of.jobs.filter((other) => other !== job) : [];
  if (others.length) {
    const links = others.map((other) => make('li', '', button('name', `${other.queue}, job ${other.id}: ${resultText(other)}`, () => select(other))));
    panel.append(make('h4', '', 'Other jobs of this element'), make('ul', '', ...links));
  }
  const log = logOf.get(job.id);
  if (log) panel.append(make('h4', '', 'Log'), ...logPart(log));
  else panel.append(make('p', 'soft', 'What it wrote: ', make('code', '', `weir log --run ${raw.run} --queue ${job.queue} ${job.element}`)));
  panel.scrollTop = 0;
}
