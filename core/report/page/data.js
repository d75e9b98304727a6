// The run, from the JSON in the page (core/report/html_data.cpp writes it). All times are microseconds since its start.

const raw = JSON.parse(document.getElementById('data').textContent);
const word = (place) => raw.words[place];

const readTokens = (list) => (list || []).map(([name, amount]) => ({ name: word(name), amount }));

const readElement = (element) => ({
  name: element.name,
  lower: element.name.toLowerCase(),
  stands: element.stands.map(([queue, status, reason, because]) => ({
    queue: word(queue), status: word(status), reason: word(reason), because: word(because),
  })),
  jobs: [],
});

const elements = raw.elements.map(readElement);

function readJob(job) {
  const element = job.element === undefined ? null : elements[job.element];
  const name = element ? element.name : job.name;
  const read = {
    ...job,
    element: name,
    lower: element ? element.lower : name.toLowerCase(),
    of: element,
    queue: word(job.queue),
    result: word(job.result),
    started: job.worker !== undefined,
    worker: job.worker === undefined ? '' : word(job.worker),
    tokens: readTokens(job.tokens),
    waits: (job.waits || []).map(([since, what]) => ({ since, what: word(what) })),
    steps: (job.steps || []).map(([command, seconds, exit]) => ({ command, seconds, exit })),
    suspended: job.suspended || [],
    attempt: job.attempt || 1,
    seconds: job.seconds || 0,
  };
  if (element) element.jobs.push(read);
  return read;
}

const jobs = raw.jobs.map(readJob);
const jobById = new Map(jobs.map((job) => [job.id, job]));
const logOf = new Map(raw.logs.map((log) => [log.job, log]));
// What can be drawn: a job that was cancelled while it waited never was anywhere.
const drawable = jobs.filter((job) => job.started).sort((a, b) => a.start - b.start || a.id - b.id);
const critical = (raw.critical || []).map((id) => jobById.get(id)).filter((job) => job);
const tokens = readTokens(raw.tokens);
// The row of the run, and whatever else there was a job of.
const queues = [...new Set([...raw.queues, ...jobs.map((job) => job.queue)])];
const lastTime = Math.max(1, raw.last, ...drawable.slice(-1).map((job) => job.end));

const kQueueColors = { build: 0, fetch: 1, push: 2, track: 3, pull: 4, test: 5 };
const spareColors = [6, 7, 3, 5, 1, 2];
const colorOfQueue = new Map();
for (const queue of queues) {
  const known = Object.hasOwn(kQueueColors, queue) ? kQueueColors[queue] : undefined;
  colorOfQueue.set(queue, known === undefined ? spareColors[colorOfQueue.size % spareColors.length] : known);
}
