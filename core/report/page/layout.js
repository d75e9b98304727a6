// Which rows the timeline has: groups (a worker, a token) of tracks on which no two jobs overlap.

// Of jobs in order of start: each on the first track that is free.
function packTracks(list) {
  const tracks = [];
  const ends = [];
  for (const job of list) {
    let track = ends.findIndex((end) => end <= job.start);
    if (track < 0) track = tracks.push([]) - 1;
    tracks[track].push(job);
    ends[track] = job.end;
  }
  return tracks;
}

function groupsByWorker(list) {
  const workers = new Map();
  for (const job of list) {
    if (!workers.has(job.worker)) workers.set(job.worker, []);
    workers.get(job.worker).push(job);
  }
  return [...workers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, its]) => ({ name, tracks: packTracks(its) }));
}

const amountOf = (job, token) => job.tokens.filter(({ name }) => name === token).reduce((sum, one) => sum + one.amount, 0);

// How much of a token is in use from when on, by queue.
function usageOf(list, token) {
  const changes = [];
  for (const job of list) {
    const place = queues.indexOf(job.queue);
    const amount = amountOf(job, token);
    changes.push([job.start, place, amount], [job.end, place, -amount]);
  }
  changes.sort((a, b) => a[0] - b[0]);
  const steps = [];
  const now = new Array(queues.length).fill(0);
  let highest = 0;
  for (let i = 0; i < changes.length; ++i) {
    const [time, place, amount] = changes[i];
    now[place] += amount;
    if (i + 1 < changes.length && changes[i + 1][0] === time) continue;
    highest = Math.max(highest, now.reduce((a, b) => a + b, 0));
    steps.push({ time, amounts: now.slice() });
  }
  return { steps, highest };
}

function groupsByToken(list) {
  const names = new Map(tokens.map(({ name, amount }) => [name, amount]));
  for (const job of list) for (const { name } of job.tokens) if (!names.has(name)) names.set(name, 0);
  const groups = [];
  for (const [token, capacity] of names) {
    const holders = list.filter((job) => amountOf(job, token) > 0);
    if (holders.length) groups.push({ name: token, token, capacity, usage: usageOf(holders, token), tracks: packTracks(holders) });
  }
  const free = list.filter((job) => job.tokens.length === 0);
  if (free.length) groups.push({ name: 'no token', tracks: packTracks(free) });
  return groups;
}
