// The elements and how each stands in every queue.

const kFirstRows = 100, kMoreRows = 500;

function standText(element, stand) {
  const because = stand.because ? ` (${stand.because})` : '';
  if (stand.status === 'done') {
    const job = element.jobs.filter((one) => one.queue === stand.queue).pop();
    return job ? duration(job.seconds) : 'done';
  }
  if (stand.status === 'skip') return stand.reason || 'nothing to do';
  return `${stand.status}${stand.reason ? `: ${stand.reason}` : ''}${because}`;
}

const secondsOf = (element) => element.jobs.reduce((sum, job) => sum + job.seconds, 0);

class ElementTable {
  constructor(select) {
    this.select = select;
    this.order = { by: null, down: false };
    this.body = document.querySelector('#table tbody');
    this.more = document.querySelector('#table .more');
    this.heads = new Map();
    const row = make('tr');
    row.append(this.head('Element', 'element'), ...queues.map((queue) => make('th', '', queue)), this.head('Time', 'time', 'number'));
    document.querySelector('#table thead').replaceChildren(row);
  }

  head(text, by, name = '') {
    const sorter = button('', text, () => {
      this.order = { by, down: this.order.by === by ? !this.order.down : by === 'time' };
      this.show(this.shown);
    });
    this.heads.set(by, sorter);
    return make('th', name, sorter);
  }

  show(list) {
    this.shown = list;
    const { by, down } = this.order;
    for (const [name, node] of this.heads) node.dataset.order = name === by ? (down ? 'down' : 'up') : '';
    let rows = list;
    if (by) {
      const value = by === 'time' ? new Map(list.map((one) => [one, secondsOf(one)])) : new Map(list.map((one) => [one, one.lower]));
      rows = list.slice().sort((a, b) => (value.get(a) < value.get(b) ? -1 : value.get(a) > value.get(b) ? 1 : 0) * (down ? -1 : 1));
    }
    this.body.replaceChildren();
    boundedList(rows, kFirstRows, kMoreRows, this.more, (part) => this.body.append(...part.map((element) => this.row(element))));
    if (rows.length === 0) {
      const cell = make('td', 'nothing', elements.length ? 'No element matches the filter.' : 'No element came to a queue.');
      cell.colSpan = queues.length + 2;
      this.body.append(make('tr', '', cell));
    }
  }

  row(element) {
    const last = element.jobs[element.jobs.length - 1];
    const name = last ? button('name', element.name, () => this.select(last)) : make('span', '', element.name);
    const cells = queues.map((queue) => {
      const stand = element.stands.find((one) => one.queue === queue);
      return stand ? make('td', stand.status, standText(element, stand)) : make('td', 'soft', '');
    });
    return make('tr', '', make('td', '', name), ...cells, make('td', 'number', element.jobs.length ? duration(secondsOf(element)) : ''));
  }
}
