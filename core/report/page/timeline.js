// The timeline: rows of jobs on a canvas as large as what can be seen of it; it scrolls, zooms and is redrawn.

const kGutter = 116, kScale = 24, kRow = 19, kBar = 16, kGap = 10, kUsage = 58, kTallest = 560, kShortest = 90;
const kClosest = 200;  // microseconds: nothing is known below

class Timeline {
  constructor(select) {
    this.canvas = byId('canvas');
    this.scroller = byId('scroller');
    this.tooltip = byId('tooltip');
    this.select = select;
    this.groups = [];
    this.rows = [];
    this.view = { from: 0, to: lastTime };
    this.chosen = null;
    this.readColors();
    listenToTimeline(this);
  }

  readColors() {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    this.colors = { ink: value('--ink'), soft: value('--soft'), line: value('--line'), faint: value('--faint'), panel: value('--panel'),
      bad: value('--bad'), accent: value('--accent'), onBar: value('--on-bar') };
    this.queueColors = new Map(queues.map((queue) => [queue, value(`--queue-${colorOfQueue.get(queue)}`)]));
    this.hatch = this.makeHatch();
  }

  makeHatch() {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 8;
    const pen = tile.getContext('2d');
    pen.strokeStyle = this.colors.panel;
    pen.lineWidth = 3;
    for (const shift of [-8, 0, 8]) {
      pen.beginPath();
      pen.moveTo(shift, 8);
      pen.lineTo(shift + 8, 0);
      pen.stroke();
    }
    return pen.createPattern(tile, 'repeat');
  }

  show(groups) {
    this.groups = groups;
    this.rows = [];
    let y = 6;
    for (const group of groups) {
      group.y = y;
      if (group.usage) {
        this.rows.push({ y, height: kUsage, group });
        y += kUsage + 6;
      }
      for (const track of group.tracks) {
        this.rows.push({ y, height: kBar, group, track });
        y += kRow;
      }
      group.bottom = y;
      y += kGap;
    }
    this.height = y;
    this.resize();
  }

  resize() {
    const visible = Math.min(kTallest, Math.max(kShortest, this.height + kScale));
    this.scroller.style.height = `${visible + 2}px`;
    byId('spacer').style.height = `${Math.max(visible, this.height + kScale)}px`;
    this.width = this.scroller.clientWidth;
    this.visible = visible;
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(visible * this.ratio);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${visible}px`;
    this.draw();
  }

  x(time) { return kGutter + (time - this.view.from) / (this.view.to - this.view.from) * (this.width - kGutter - 8); }
  time(x) { return this.view.from + (x - kGutter) / (this.width - kGutter - 8) * (this.view.to - this.view.from); }

  setView(from, to) {
    const length = Math.min(lastTime, Math.max(kClosest, to - from));
    const start = Math.min(Math.max(0, from), lastTime - length);
    this.view = { from: start, to: start + length };
    this.redraw();
  }
  zoom(factor, at = (this.view.from + this.view.to) / 2) {
    this.setView(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
  }
  pan(part) {
    const by = (this.view.to - this.view.from) * part;
    this.setView(this.view.from + by, this.view.to + by);
  }
  reset() { this.setView(0, lastTime); }
  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  draw() {
    const pen = this.canvas.getContext('2d');
    this.pen = pen;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.visible);
    pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = 'middle';
    this.offset = kScale - this.scroller.scrollTop;
    const ticks = this.ticks();
    pen.fillStyle = this.colors.line;
    for (const { x } of ticks) pen.fillRect(x, kScale, 1, this.visible);
    pen.save();
    pen.beginPath();
    pen.rect(kGutter - 1, kScale, this.width - kGutter + 1, this.visible - kScale);
    pen.clip();
    for (const row of this.rows) {
      if (row.y + row.height + this.offset < kScale || row.y + this.offset > this.visible) continue;
      if (row.track) this.drawTrack(row);
      else this.drawUsage(row);
    }
    pen.restore();
    this.drawGutter();
    this.drawScale(ticks);
    if (this.marked) this.drawMarked();
  }

  ticks() {
    const length = this.view.to - this.view.from;
    const most = Math.max(2, Math.floor((this.width - kGutter) / 90));
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map((s) => s * 1e6);
    for (let small = 5e5; small >= 100; small /= 10) steps.unshift(small / 5, small * 2 / 5, small);
    const step = steps.find((one) => length / one <= most) || steps[steps.length - 1];
    const ticks = [];
    for (let time = Math.ceil(this.view.from / step) * step; time <= this.view.to; time += step) ticks.push({ time, x: Math.round(this.x(time)) });
    return Object.assign(ticks, { step });
  }

  drawScale(ticks) {
    const { pen, colors } = this;
    pen.fillStyle = colors.panel;
    pen.fillRect(0, 0, this.width, kScale);
    pen.fillStyle = colors.faint;
    pen.fillRect(0, kScale - 1, this.width, 1);
    pen.fillStyle = colors.soft;
    pen.textAlign = 'left';
    for (const { time, x } of ticks) {
      pen.fillRect(x, kScale - 5, 1, 4);
      const text = tickText(time, ticks.step);
      if (x + 4 + pen.measureText(text).width < this.width) pen.fillText(text, x + 4, kScale / 2);
    }
  }

  drawGutter() {
    const { pen, colors } = this;
    pen.textAlign = 'left';
    for (const group of this.groups) {
      const top = group.y + this.offset, bottom = group.bottom + this.offset;
      if (bottom < kScale || top > this.visible) continue;
      pen.fillStyle = colors.faint;
      pen.fillRect(0, bottom + kGap / 2 - 3, this.width, 1);
      // The name stays in sight while any of the group is.
      const y = Math.min(Math.max(top, kScale + 4), Math.max(top, bottom - kRow)) + kBar / 2;
      pen.fillStyle = colors.ink;
      pen.fillText(this.fitted(group.name, kGutter - 18), 10, y);
      if (!group.usage) continue;
      pen.fillStyle = colors.soft;
      const room = group.capacity ? `of ${tokenAmount(group.token, group.capacity)}` : '';
      pen.fillText(this.fitted(`most ${tokenAmount(group.token, group.usage.highest)}`, kGutter - 18), 10, y + 16);
      pen.fillText(this.fitted(room, kGutter - 18), 10, y + 31);
    }
  }

  drawTrack({ y, track }) {
    let last = -1;  // what is narrower than a pixel beside another is not seen
    for (let i = firstVisible(track, this.view.from); i < track.length && track[i].start <= this.view.to; ++i) {
      const job = track[i];
      const from = Math.max(kGutter - 4, this.x(job.start)), to = Math.min(this.width + 4, this.x(job.end));
      const special = job.critical || job.result === 'failed' || job === this.chosen;
      if (to < last + 0.7 && !special) continue;
      this.drawJob(job, from, Math.max(special ? 2 : 1, to - from - (to - from > 3 ? 1 : 0)), y + this.offset);
      last = Math.max(last, to);
    }
  }

  drawJob(job, x, width, y) {
    const { pen, colors } = this;
    const whole = job.result === 'succeeded' || job.result === 'failed';
    pen.globalAlpha = whole ? 1 : 0.55;
    pen.fillStyle = job.result === 'failed' && width < 6 ? colors.bad : this.queueColors.get(job.queue);
    pen.fillRect(x, y, width, kBar);
    pen.globalAlpha = 1;
    for (const [from, to] of job.suspended) {
      const left = Math.max(x, this.x(from));
      pen.fillStyle = this.hatch;
      pen.fillRect(left, y, Math.max(0, Math.min(x + width, this.x(to)) - left), kBar);
    }
    const outline = (color, thick) => {
      if (width < thick * 2 + 1) return;
      pen.strokeStyle = color;
      pen.lineWidth = thick;
      pen.strokeRect(x + thick / 2, y + thick / 2, width - thick, kBar - thick);
    };
    if (job.critical) {
      outline(colors.ink, 1.5);
      if (width < 4) {
        pen.fillStyle = colors.ink;
        pen.fillRect(x, y + kBar - 2, width, 2);
      }
    }
    if (job.result === 'failed') outline(colors.bad, 2);
    if (job === this.chosen) outline(colors.accent, 3);
    if (width > 34) {
      const mark = job.result === 'failed' ? '\u2715 ' : '';
      const left = Math.max(x, kGutter);
      pen.fillStyle = colors.onBar;
      pen.textAlign = 'left';
      pen.fillText(this.fitted(mark + job.element, x + width - left - 9), left + 5, y + kBar / 2 + 0.5);
    }
  }

  // Of each column of pixels the average, queue upon queue.
  drawUsage({ y, group }) {
    const { pen, colors } = this;
    const { steps, highest } = group.usage;
    const top = Math.max(highest, group.capacity > highest * 20 ? 0 : group.capacity, 1);
    const columns = this.width - kGutter - 8, perColumn = (this.view.to - this.view.from) / columns;
    const sums = queues.map(() => new Float64Array(columns + 1));
    for (let i = 0; i < steps.length; ++i) {
      const from = Math.max(this.view.from, steps[i].time);
      const to = Math.min(this.view.to, i + 1 < steps.length ? steps[i + 1].time : lastTime);
      if (to <= from) continue;
      const first = (from - this.view.from) / perColumn, end = (to - this.view.from) / perColumn;
      steps[i].amounts.forEach((amount, queue) => {
        if (amount <= 0) return;
        for (let column = Math.floor(first); column < end; ++column) sums[queue][column] += amount * (Math.min(end, column + 1) - Math.max(first, column));
      });
    }
    const base = y + this.offset + kUsage;
    for (let column = 0; column < columns; ++column) {
      let level = base;
      queues.forEach((queue, place) => {
        const height = sums[place][column] / top * (kUsage - 4);
        if (height <= 0) return;
        pen.fillStyle = this.queueColors.get(queue);
        pen.fillRect(kGutter + column, level - height, 1, height);
        level -= height;
      });
    }
    pen.fillStyle = colors.faint;
    pen.fillRect(kGutter, base, columns, 1);
    if (group.capacity && group.capacity <= top) {
      pen.fillStyle = colors.soft;
      for (let x = kGutter; x < kGutter + columns; x += 6) pen.fillRect(x, base - group.capacity / top * (kUsage - 4), 3, 1);
    }
  }

  drawMarked() {
    const [from, to] = this.marked;
    this.pen.fillStyle = this.colors.accent;
    this.pen.globalAlpha = 0.2;
    this.pen.fillRect(Math.min(from, to), 0, Math.abs(to - from), this.visible);
    this.pen.globalAlpha = 1;
  }

  fitted(text, width) {
    if (width < 8) return '';
    if (text.length * 5 < width && this.pen.measureText(text).width <= width) return text;
    let low = 0, high = Math.min(text.length, Math.ceil(width / 3));
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.pen.measureText(`${text.slice(0, middle)}\u2026`).width <= width) low = middle;
      else high = middle - 1;
    }
    if (low >= text.length) return text;
    return low > 1 ? `${text.slice(0, low)}\u2026` : '';
  }

  rowAt(y) {
    if (y < kScale) return null;
    return this.rows.find((row) => y >= row.y + this.offset - 1 && y < row.y + this.offset + row.height + 2) || null;
  }

  jobAt(x, y) {
    const row = this.rowAt(y);
    if (!row || !row.track || x < kGutter) return null;
    const near = 2 * (this.view.to - this.view.from) / this.width, time = this.time(x);
    const at = firstVisible(row.track, time - near);
    return at < row.track.length && row.track[at].start <= time + near ? row.track[at] : null;
  }

  choose(job) {
    this.chosen = job;
    if (job && job.started && (job.end < this.view.from || job.start > this.view.to)) {
      const middle = (job.start + job.end) / 2, half = (this.view.to - this.view.from) / 2;
      this.setView(middle - half, middle + half);
    }
    const row = job && this.rows.find((one) => one.track && one.track.includes(job));
    if (row && (row.y < this.scroller.scrollTop || row.y + kRow > this.scroller.scrollTop + this.visible - kScale))
      this.scroller.scrollTop = row.y - this.visible / 2;
    this.redraw();
  }
}

// The jobs of a track are in order and do not overlap: the first that ends at that time or later.
function firstVisible(track, time) {
  let low = 0, high = track.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track[middle].end < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function tickText(time, step) {
  const seconds = time / 1e6;
  if (step >= 1e6) return seconds < 60 ? `${seconds}s` : duration(seconds);
  if (step >= 1000) return `${seconds.toFixed(step >= 1e5 ? 1 : step >= 1e4 ? 2 : 3)}s`;
  return `${(time / 1000).toFixed(1)}ms`;
}
