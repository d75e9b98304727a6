// Words for people, and the only way in which data becomes part of the page: as text.

function make(tag, name, ...content) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  for (const part of content) {
    if (part === null || part === undefined) continue;
    node.append(part instanceof Node ? part : document.createTextNode(String(part)));
  }
  return node;
}

const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString('en');

function duration(seconds) {
  if (seconds < 0.0995) return `${Math.round(seconds * 1000)}ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  const two = (number) => String(number).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor(whole / 60) % 60)}m`;
}

// A point in time of the run.
const moment = (time) => (time < 60e6 ? `${(time / 1e6).toFixed(2)}s` : duration(time / 1e6));
const span = (from, to) => duration((to - from) / 1e6);

function bytes(number) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; number >= 1024 && unit + 1 < units.length; ++unit) number /= 1024;
  return `${unit === 0 ? number : number.toFixed(1)} ${units[unit]}`;
}

const tokenAmount = (name, amount) => (name === 'memory' ? bytes(amount) : String(Math.round(amount * 10) / 10));

function exitText(exit) {
  return exit > 128 && exit < 193 ? `signal ${exit - 128}` : `exit code ${exit}`;
}

function resultText(job) {
  if (job.result === 'failed') return `failed (${job.failure || 'no class'})${job.triedAgain ? ', tried again' : ''}`;
  return job.result;
}

function resultTone(result) {
  if (result === 'succeeded') return 'good';
  return result === 'failed' || result === 'lost' || result === 'killed' ? 'bad' : 'note';
}

// A list that shows `first` of its items, and more when asked.
function boundedList(items, first, more, button, show) {
  let shown = 0;
  const grow = (by) => {
    show(items.slice(shown, shown + by));
    shown = Math.min(items.length, shown + by);
    button.hidden = shown >= items.length;
    button.textContent = `Show ${count(Math.min(more, items.length - shown))} more of ${count(items.length)}`;
  };
  button.onclick = () => grow(more);
  grow(first);
}

function button(name, text, action) {
  const node = make('button', name, text);
  node.type = 'button';
  node.addEventListener('click', action);
  return node;
}
