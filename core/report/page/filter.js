// What is typed into the filter: words that are part of an element's name, and key:value for what else is known.

const kFilterKeys = ['queue', 'result', 'worker', 'element', 'is'];

function readFilter(text) {
  const filter = { names: [], queue: [], result: [], worker: [], is: [] };
  for (const part of text.toLowerCase().split(/\s+/)) {
    const colon = part.indexOf(':');
    const key = part.slice(0, Math.max(0, colon));
    if (!part) continue;
    if (!kFilterKeys.includes(key)) filter.names.push(part);
    else if (key === 'element') filter.names.push(part.slice(colon + 1));
    else filter[key].push(part.slice(colon + 1));
  }
  filter.ofJobs = filter.worker.length + filter.is.length > 0;
  filter.ofQueues = filter.queue.length + filter.result.length > 0;
  return filter;
}

const nameMatches = (filter, lower) => filter.names.every((part) => lower.includes(part));
const anyStarts = (wanted, ...texts) => wanted.every((one) => texts.some((text) => text && text.toLowerCase().startsWith(one)));

function jobMatches(filter, job) {
  return nameMatches(filter, job.lower) && anyStarts(filter.queue, job.queue) &&
    anyStarts(filter.result, job.result, job.failure) && anyStarts(filter.worker, job.worker) &&
    filter.is.every((one) => one === 'critical' ? job.critical : one === 'suspended' && job.suspended.length > 0);
}

const kStandResults = { done: 'succeeded' };

function standMatches(filter, stand) {
  return anyStarts(filter.queue, stand.queue) && anyStarts(filter.result, stand.status, kStandResults[stand.status], stand.reason);
}

function elementMatches(filter, element) {
  if (!nameMatches(filter, element.lower)) return false;
  if (!filter.ofJobs && !filter.ofQueues) return true;
  if (element.jobs.some((job) => jobMatches(filter, job))) return true;
  return !filter.ofJobs && element.stands.some((stand) => standMatches(filter, stand));
}
