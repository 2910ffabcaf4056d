'use strict';
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  /** What cannot be seen, and what would turn a text around, is written out. */
  const visible = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  const data = JSON.parse(document.getElementById('report-data').textContent,
    (key, value) => (typeof value === 'string' ? visible(value) : value));
  const STATES = { c: 'committed', a: 'aborted', u: 'unknown', o: 'open' };
  const count = (n) => n.toLocaleString('en');

  const element = (name, attributes, text) => {
    const made = document.createElement(name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const shape = (parent, name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  };

  /** Aborted bars are hatched, so that they are told apart without colours. */
  const hatch = () => {
    const holder = document.createElementNS(SVG, 'svg');
    for (const [key, value] of [['width', 0], ['height', 0], ['aria-hidden', 'true']]) holder.setAttribute(key, value);
    holder.style.position = 'absolute';
    const pattern = shape(shape(holder, 'defs'), 'pattern',
      { id: 'hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
    shape(pattern, 'rect', { class: 'hatch-ground', width: 5, height: 5 });
    shape(pattern, 'line', { class: 'hatch-line', x1: 0, y1: 0, x2: 0, y2: 5 });
    document.body.append(holder);
  };

  const NOTES = {
    fault: 'M-5 -5H5L0 5Z', repair: 'M-5 5H5L0 -5Z', session: 'M-1.5 -7H1.5V7H-1.5Z', fenced: 'M0 -6L6 0L0 6L-6 0Z',
    'let-through': 'M-6 -3L-3 -6L0 -3L3 -6L6 -3L3 0L6 3L3 6L0 3L-3 6L-6 3L-3 0Z', trouble: 'M-5 -5H5V5H-5Z',
  };
  const NOTE_WORDS = {
    fault: 'fault', repair: 'repair', session: 'session begins', fenced: 'fenced: refused',
    'let-through': 'not refused', trouble: 'trouble',
  };

  class Chart {
    constructor(figure, chart) {
      this.figure = figure;
      this.chart = chart;
      this.from = 0;
      this.to = Math.max(1, chart.span * 1.01);
      this.full = this.to;
      this.chosen = null;
      this.cursor = null;
      this.items = this.itemsInOrder();
      this.build();
      this.draw();
    }

    // ---- words

    time(at, step) {
      if (!this.chart.timed) return count(Math.round(at));
      const digits = (step || 1) >= 1000 ? 0 : (step || 1) >= 100 ? 1 : (step || 1) >= 10 ? 2 : 3;
      if (this.full >= 600000) {
        return Math.floor(at / 60000) + ':' + (at % 60000 / 1000).toFixed(digits).padStart(digits ? digits + 3 : 2, '0');
      }
      return (at / 1000).toFixed(digits) + ' s';
    }

    where(at) {
      return this.chart.timed ? 'at ' + this.time(at) : 'at event ' + count(at + 1);
    }

    words(item) {
      if (item.bar) {
        const [name, state, begin, asked, end, sends] = item.bar;
        const length = this.chart.timed ? ', ' + count(end - begin) + ' ms' : '';
        const records = sends === 1 ? '1 record' : count(sends) + ' records';
        const ending = asked < 0 && state !== 'o' && item.lane !== 'no transaction' ? ', nobody asked for its end' : '';
        return [name.replace(/^plain:/, ''), STATES[state] + ending + ', ' + records + ', begins ' + this.where(begin) + length];
      }
      return [item.note[2], NOTE_WORDS[item.note[1]] + ', ' + this.where(item.note[0])];
    }

    /** What is worth a stop on the way: all but committed transactions and new sessions. */
    itemsInOrder() {
      const items = this.chart.faults.map((note) => ({ note, row: 0, at: note[0] }));
      this.chart.lanes.forEach((lane, i) => {
        for (const bar of lane.bars) {
          if (bar[1] !== 'c' || bar[7]) items.push({ bar, row: i + 1, at: bar[2], lane: lane.name });
        }
        for (const note of lane.notes) {
          if (note[1] !== 'session') items.push({ note, row: i + 1, at: note[0], lane: lane.name });
        }
      });
      return items.sort((a, b) => a.at - b.at);
    }

    // ---- parts

    build() {
      const tools = element('div', { class: 'bar-of-tools' });
      const buttons = element('div', { class: 'buttons' });
      const button = (label, title, act) => {
        const made = element('button', { type: 'button', title, 'aria-label': title }, label);
        made.addEventListener('click', act);
        buttons.append(made);
        return made;
      };
      button('+', 'Zoom in', () => this.zoom(0.5));
      button('−', 'Zoom out', () => this.zoom(2));
      button('All', 'Show all of the run', () => this.show(0, this.full));
      button('‹', 'Previous event (p)', () => this.step(-1)).disabled = !this.items.length;
      button('›', 'Next event (n)', () => this.step(1)).disabled = !this.items.length;
      tools.append(buttons, this.key());
      this.plot = element('div', { class: 'plot' });
      this.svg = document.createElementNS(SVG, 'svg');
      this.svg.setAttribute('tabindex', '0');
      this.svg.setAttribute('role', 'img');
      this.svg.setAttribute('aria-label', 'Timeline of ' + this.chart.name + ': '
        + this.chart.lanes.length + ' lanes, ' + this.chart.faults.length + ' faults. Keys: arrows move, plus and minus zoom, n and p go to the next and previous event.');
      this.detail = element('p', { class: 'detail', role: 'status' });
      this.hint();
      this.plot.append(this.svg, this.detail);
      this.tip = element('div', { class: 'tip', hidden: '' });
      this.figure.append(tools, this.plot, this.tip);
      this.listen();
      this.curves = [];
      if (this.chart.curves.length) this.buildCurves();
    }

    hint() {
      this.detail.textContent = this.items.length
        ? count(this.items.length) + (this.items.length === 1 ? ' event is' : ' events are') + ' worth a look: ‹ and › go through them.'
        : 'Every transaction that is drawn was committed, and nothing was broken.';
    }

    key() {
      const key = element('ul', { class: 'key', 'aria-label': 'Key' });
      const states = new Set();
      const notes = new Set(this.chart.faults.map((note) => note[1]));
      for (const lane of this.chart.lanes) {
        for (const bar of lane.bars) states.add(bar[1]);
        for (const note of lane.notes) notes.add(note[1]);
      }
      const entry = (text, draw) => {
        const item = element('li');
        const icon = shape(item, 'svg', { viewBox: '0 0 20 12', 'aria-hidden': 'true' });
        draw(icon);
        item.append(text);
        key.append(item);
      };
      for (const state of 'cauo') {
        if (states.has(state)) entry(STATES[state], (icon) => shape(icon, 'rect', { class: 'bar ' + state, x: 1, y: 2, width: 18, height: 8, rx: 1.5 }));
      }
      entry('end asked for', (icon) => {
        shape(icon, 'rect', { class: 'bar c', x: 1, y: 2, width: 18, height: 8, rx: 1.5 });
        shape(icon, 'rect', { class: 'ending', x: 12, y: 2, width: 7, height: 8, rx: 1.5 });
      });
      for (const kind in NOTES) {
        if (notes.has(kind)) entry(NOTE_WORDS[kind], (icon) => shape(icon, 'path', { class: kind, d: NOTES[kind], transform: 'translate(10 6) scale(.85)' }));
      }
      return key;
    }

    buildCurves() {
      const key = element('ul', { class: 'key curves-key', 'aria-label': 'Key of the curves' });
      for (const [kind, text] of [['end', 'log end'], ['high', 'high watermark'], ['stable', 'last stable offset']]) {
        const item = element('li');
        shape(shape(item, 'svg', { viewBox: '0 0 20 12', 'aria-hidden': 'true' }), 'path', { class: 'step ' + kind, d: 'M0 6H20' });
        item.append(text);
        key.append(item);
      }
      const area = element('li');
      shape(shape(area, 'svg', { viewBox: '0 0 20 12', 'aria-hidden': 'true' }), 'rect', { class: 'unstable', width: 20, height: 12 });
      area.append('not yet stable');
      key.append(area);
      const grid = element('div', { class: 'curves' });
      for (const curve of this.chart.curves) {
        const box = element('div', { class: 'curve' });
        const svg = document.createElementNS(SVG, 'svg');
        svg.setAttribute('role', 'img');
        svg.setAttribute('aria-label', 'Log end, high watermark and last stable offset of ' + curve.name);
        const read = element('p', { class: 'read' });
        box.append(element('p', {}, curve.name), read, svg);
        grid.append(box);
        svg.addEventListener('pointermove', (event) => this.point(this.positionIn(svg, event, 52)));
        svg.addEventListener('pointerleave', () => this.point(null));
        this.curves.push({ curve, svg, read });
      }
      this.figure.append(key, grid);
    }

    // ---- view

    show(from, to) {
      const least = this.chart.timed ? 2 : 8;
      const length = Math.min(this.full, Math.max(least, to - from));
      this.from = Math.max(0, Math.min(this.full - length, from));
      this.to = this.from + length;
      this.hideTip();
      this.draw();
    }

    zoom(factor, at) {
      const middle = at === undefined ? (this.from + this.to) / 2 : at;
      this.show(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
    }

    step(by) {
      if (!this.items.length) return;
      const current = this.items.indexOf(this.chosen);
      const next = current < 0 ? (by > 0 ? 0 : this.items.length - 1) : (current + by + this.items.length) % this.items.length;
      this.choose(this.items[next], next);
      const length = this.to - this.from;
      if (this.chosen.at < this.from || this.chosen.at > this.to) this.show(this.chosen.at - length / 2, this.chosen.at + length / 2);
    }

    choose(item, place) {
      this.chosen = item;
      this.detail.textContent = '';
      if (item) {
        const [name, rest] = this.words(item);
        const number = place === undefined ? this.items.indexOf(item) : place;
        this.detail.append(element('b', {}, name), ' ' + rest + (number < 0 ? '' : ' (' + (number + 1) + ' of ' + this.items.length + ')'));
      } else {
        this.hint();
      }
      this.draw();
    }

    // ---- drawing

    draw() {
      this.width = Math.max(280, Math.round(this.plot.clientWidth || 800));
      this.narrow = this.width < 560;
      const longest = Math.max(6, ...this.chart.lanes.map((lane) => lane.name.length));
      this.gutter = this.narrow ? 10 : Math.min(220, 26 + 6.6 * longest);
      this.rowHeight = this.narrow ? 36 : 24;
      this.top = 28;
      this.drawTimeline();
      for (const one of this.curves) this.drawCurve(one);
    }

    x(at) {
      return this.gutter + (at - this.from) / (this.to - this.from) * (this.width - this.gutter - 12);
    }

    ticks(width) {
      const wanted = (this.to - this.from) / Math.max(2, width / 90);
      const power = 10 ** Math.floor(Math.log10(wanted));
      let step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted) || wanted;
      step = Math.max(1, step);
      const ticks = [];
      for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) ticks.push(at);
      return { ticks, step };
    }

    rowMiddle(row) {
      return this.top + row * this.rowHeight + (this.narrow ? 24 : this.rowHeight / 2);
    }

    drawTimeline() {
      const svg = this.svg;
      const rows = this.chart.lanes.length + 1;
      const height = this.top + rows * this.rowHeight + 6;
      svg.textContent = '';
      svg.setAttribute('viewBox', `0 0 ${this.width} ${height}`);
      const { ticks, step } = this.ticks(this.width - this.gutter);
      for (const at of ticks) {
        const x = this.x(at);
        shape(svg, 'line', { class: 'grid', x1: x, x2: x, y1: this.top, y2: height });
        const anchor = x > this.width - 30 ? 'end' : x < 30 ? 'start' : 'middle';
        shape(svg, 'text', { x, y: 18, 'text-anchor': anchor }, this.time(at, step));
      }
      for (let row = 0; row < rows; row++) {
        const y = this.top + row * this.rowHeight;
        shape(svg, 'line', { class: row ? 'lane' : 'base', x1: 0, x2: this.width, y1: y, y2: y });
        const name = row ? this.chart.lanes[row - 1].name : 'faults';
        const fits = this.narrow ? 44 : 30;
        shape(svg, 'text', { class: 'name', x: this.narrow ? 10 : 14, y: this.narrow ? y + 13 : y + 16 },
          name.length > fits ? name.slice(0, fits - 1) + '…' : name);
      }
      const clip = 'clip-' + this.figure.dataset.chart;
      shape(shape(shape(svg, 'defs'), 'clipPath', { id: clip }), 'rect', { x: this.gutter - 7, y: 0, width: this.width - this.gutter + 7, height });
      const plane = shape(svg, 'g', { 'clip-path': `url(#${clip})` });
      for (const note of this.chart.faults) {
        if (note[1] === 'fault' && this.isVisible(note[0], note[0])) {
          const x = this.x(note[0]);
          shape(plane, 'line', { class: 'fault-line', x1: x, x2: x, y1: this.top, y2: height });
        }
      }
      this.chart.lanes.forEach((lane, i) => this.drawLane(plane, lane, i + 1));
      for (const note of this.chart.faults) this.drawNote(plane, note, 0);
      if (this.chosen) this.drawChosen(plane);
      this.cursorLine = shape(plane, 'line', { class: 'cursor', y1: this.top, y2: height, visibility: 'hidden' });
    }

    isVisible(begin, end) {
      return end >= this.from && begin <= this.to;
    }

    drawLane(plane, lane, row) {
      const middle = this.rowMiddle(row);
      let drawnTo = -1;
      for (const bar of lane.bars) {
        const [, state, begin, asked, end, , sends, witness] = bar;
        if (!this.isVisible(begin, end)) continue;
        const x = this.x(begin);
        const width = Math.max(2, this.x(end) - x);
        if (state === 'c' && !witness && x + width <= drawnTo + 0.5) continue;
        if (state === 'c') drawnTo = Math.max(drawnTo, x + width);
        shape(plane, 'rect', { class: 'bar ' + state + (witness ? ' w' : ''), x, y: middle - 6, width, height: 12, rx: Math.min(2, width / 3) });
        if (width < 14) continue;
        if (asked >= 0 && this.x(end) - this.x(asked) > 1) {
          shape(plane, 'rect', { class: 'ending', x: this.x(asked), y: middle - 6, width: this.x(end) - this.x(asked), height: 12, rx: 2 });
        }
        if (width / Math.max(1, sends.length) > 2) {
          for (const send of sends) {
            const at = this.x(begin + send);
            shape(plane, 'line', { class: 'send', x1: at, x2: at, y1: middle - 3, y2: middle + 3 });
          }
        }
      }
      for (const note of lane.notes) this.drawNote(plane, note, row);
    }

    drawNote(plane, note, row) {
      if (!this.isVisible(note[0], note[0])) return;
      shape(plane, 'path', { class: 'note ' + note[1], d: NOTES[note[1]] || NOTES.trouble, transform: `translate(${this.x(note[0])} ${this.rowMiddle(row)})` });
    }

    drawChosen(plane) {
      const { bar, note, row } = this.chosen;
      const middle = this.rowMiddle(row);
      const x = this.x(bar ? bar[2] : note[0]);
      const end = bar ? Math.max(x + 2, this.x(bar[4])) : x;
      shape(plane, 'rect', { class: 'chosen', x: x - (bar ? 3 : 9), y: middle - 10, width: end - x + (bar ? 6 : 18), height: 20, rx: 4 });
    }

    drawCurve(one) {
      const { curve, svg } = one;
      const width = Math.max(240, Math.round(svg.parentNode.clientWidth || 320));
      const height = 132;
      const left = 52;
      const bottom = height - 22;
      const across = (at) => left + (at - this.from) / (this.to - this.from) * (width - left - 12);
      one.across = across;
      one.bottom = bottom;
      const series = ['end', 'high', 'stable'].map((kind) => curve[kind]);
      let high = -Infinity;
      let low = Infinity;
      for (const points of series) {
        const first = this.valueAt(points, this.from);
        const values = first === null ? [] : [first];
        for (let i = 0; i < points.length; i += 2) {
          if (points[i] >= this.from && points[i] <= this.to) values.push(points[i + 1]);
        }
        for (const value of values) {
          high = Math.max(high, value);
          low = Math.min(low, value);
        }
      }
      if (!(high >= low)) [low, high] = [0, 1];
      if (this.from <= 0 && this.to >= this.full) low = Math.min(low, 0);
      if (high === low) high = low + 1;
      const up = (value) => bottom - (value - low) / (high - low) * (bottom - 10);
      svg.textContent = '';
      svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
      for (const value of [low, high]) {
        shape(svg, 'line', { class: value === low ? 'base' : 'grid', x1: left, x2: width - 12, y1: up(value), y2: up(value) });
        shape(svg, 'text', { x: left - 7, y: up(value) + 4, 'text-anchor': 'end' }, value >= 1e6 ? (value / 1e6).toFixed(1) + 'm' : count(value));
      }
      const { ticks, step } = this.ticks(width - left);
      ticks.forEach((at) => {
        const x = across(at);
        shape(svg, 'text', { x, y: height - 6, 'text-anchor': x > width - 30 ? 'end' : x < left + 14 ? 'start' : 'middle' }, this.time(at, step));
      });
      const clip = 'clip-' + this.figure.dataset.chart + '-' + this.curves.indexOf(one);
      shape(shape(shape(svg, 'defs'), 'clipPath', { id: clip }), 'rect', { x: left, y: 0, width: width - left - 12, height: bottom + 2 });
      const plane = shape(svg, 'g', { 'clip-path': `url(#${clip})` });
      const area = this.between(curve.stable, curve.high.length ? curve.high : curve.end, across, up);
      if (area) shape(plane, 'path', { class: 'unstable', d: area });
      for (const kind of ['end', 'high', 'stable']) {
        const path = this.steps(curve[kind], across, up);
        if (path) shape(plane, 'path', { class: 'step ' + kind, d: path });
        this.falls(curve[kind], plane, across, up);
      }
      for (const note of this.chart.faults) {
        if (note[1] === 'fault') shape(plane, 'line', { class: 'fault-line', x1: across(note[0]), x2: across(note[0]), y1: 8, y2: bottom });
      }
      one.line = shape(plane, 'line', { class: 'cursor', y1: 8, y2: bottom, visibility: 'hidden' });
      this.readCurve(one);
    }

    steps(points, across, up) {
      if (!points.length) return '';
      let path = `M${across(points[0]).toFixed(1)} ${up(points[1]).toFixed(1)}`;
      for (let i = 2; i < points.length; i += 2) path += `H${across(points[i]).toFixed(1)}V${up(points[i + 1]).toFixed(1)}`;
      return path + `H${across(this.full).toFixed(1)}`;
    }

    /** From the lower one's steps to the upper one's, and back. */
    between(lower, upper, across, up) {
      if (!lower.length || !upper.length) return '';
      const back = [];
      for (let i = upper.length - 2; i >= 0; i -= 2) back.push([upper[i], upper[i + 1]]);
      let path = this.steps(lower, across, up);
      path += `V${up(back[0][1]).toFixed(1)}`;
      back.forEach(([at, value], i) => {
        path += `V${up(value).toFixed(1)}H${across(at).toFixed(1)}`;
        if (i + 1 === back.length) path += 'Z';
      });
      return path;
    }

    falls(points, plane, across, up) {
      for (let i = 3; i < points.length; i += 2) {
        if (points[i] < points[i - 2]) shape(plane, 'circle', { class: 'fall', cx: across(points[i - 1]), cy: up(points[i]), r: 5 });
      }
    }

    valueAt(points, at) {
      let low = 0;
      let high = points.length / 2;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (points[2 * middle] <= at) low = middle + 1;
        else high = middle;
      }
      return low ? points[2 * low - 1] : null;
    }

    readCurve({ curve, read }) {
      const at = this.cursor === null ? this.to : this.cursor;
      const word = (kind, label) => {
        const value = this.valueAt(curve[kind], at);
        const bound = curve.bound && kind !== 'end' && value !== null ? '≥ ' : '';
        return label + ' ' + (value === null ? '–' : bound + count(value));
      };
      read.textContent = word('end', 'end') + ', ' + word('high', 'HW') + ', ' + word('stable', 'LSO')
        + (this.cursor === null ? '' : ' ' + this.where(Math.round(at)));
    }

    // ---- pointer and keys

    positionIn(svg, event, left) {
      const box = svg.getBoundingClientRect();
      const width = svg.viewBox.baseVal.width;
      const x = (event.clientX - box.left) / box.width * width;
      const at = this.from + (x - left) / (width - left - 12) * (this.to - this.from);
      return at < this.from || at > this.to ? null : at;
    }

    point(at) {
      this.cursor = at;
      const place = (line, x) => {
        line.setAttribute('visibility', at === null ? 'hidden' : 'visible');
        if (at !== null) {
          line.setAttribute('x1', x);
          line.setAttribute('x2', x);
        }
      };
      place(this.cursorLine, at === null ? 0 : this.x(at));
      for (const one of this.curves) {
        place(one.line, at === null ? 0 : one.across(at));
        this.readCurve(one);
      }
    }

    /** What is under the pointer: the nearest thing of its lane that is close enough. */
    itemAt(event) {
      const box = this.svg.getBoundingClientRect();
      const scale = this.width / box.width;
      const x = (event.clientX - box.left) * scale;
      const row = Math.floor(((event.clientY - box.top) * scale - this.top) / this.rowHeight);
      if (row < 0 || row > this.chart.lanes.length) return null;
      let best = null;
      let distance = event.pointerType === 'mouse' ? 7 : 16;
      const offer = (item, from, to, bonus) => {
        const away = (x < from ? from - x : x > to ? x - to : 0) - bonus;
        if (away < distance) {
          distance = away;
          best = item;
        }
      };
      const lane = row ? this.chart.lanes[row - 1] : { bars: [], notes: this.chart.faults };
      for (const bar of lane.bars) {
        if (this.isVisible(bar[2], bar[4])) offer({ bar, row, at: bar[2], lane: lane.name }, this.x(bar[2]), this.x(bar[4]), bar[1] === 'c' ? 0 : 1);
      }
      for (const note of lane.notes) {
        if (this.isVisible(note[0], note[0])) offer({ note, row, at: note[0] }, this.x(note[0]) - 4, this.x(note[0]) + 4, 2);
      }
      return best && (this.items.find((item) => item.row === row && item.bar === best.bar && item.note === best.note) || best);
    }

    showTip(item, event) {
      const [name, rest] = this.words(item);
      this.tip.textContent = '';
      this.tip.append(element('b', {}, name), rest);
      this.tip.hidden = false;
      const figure = this.figure.getBoundingClientRect();
      const x = event.clientX - figure.left;
      const left = x + 14 + this.tip.offsetWidth > figure.width ? Math.max(0, x - 14 - this.tip.offsetWidth) : x + 14;
      this.tip.style.left = left + 'px';
      this.tip.style.top = event.clientY - figure.top + 16 + 'px';
    }

    hideTip() {
      this.tip.hidden = true;
    }

    listen() {
      const svg = this.svg;
      let drag = null;
      svg.addEventListener('pointerdown', (event) => {
        drag = { x: event.clientX, from: this.from, to: this.to, moved: false };
      });
      svg.addEventListener('pointermove', (event) => {
        if (drag && event.buttons) {
          const box = svg.getBoundingClientRect();
          if (Math.abs(event.clientX - drag.x) > 4 && !drag.moved) {
            drag.moved = true;
            svg.setPointerCapture(event.pointerId);
          }
          if (drag.moved) {
            const inner = (this.width - this.gutter - 12) / this.width * box.width;
            const by = (drag.x - event.clientX) / inner * (drag.to - drag.from);
            this.show(drag.from + by, drag.to + by);
          }
          return;
        }
        this.point(this.positionIn(svg, event, this.gutter));
        const item = this.itemAt(event);
        if (item) this.showTip(item, event);
        else this.hideTip();
      });
      svg.addEventListener('pointerup', (event) => {
        if (drag && !drag.moved) this.choose(this.itemAt(event));
        drag = null;
      });
      svg.addEventListener('pointercancel', () => { drag = null; });
      svg.addEventListener('pointerleave', () => {
        this.hideTip();
        this.point(null);
      });
      svg.addEventListener('dblclick', (event) => {
        const at = this.positionIn(svg, event, this.gutter);
        if (at !== null) this.zoom(0.4, at);
      });
      svg.addEventListener('wheel', (event) => {
        const at = this.positionIn(svg, event, this.gutter);
        if (!event.ctrlKey || at === null) return;
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
      }, { passive: false });
      svg.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const length = this.to - this.from;
        const acts = {
          '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), 0: () => this.show(0, this.full),
          ArrowLeft: () => this.show(this.from - length / 5, this.to - length / 5),
          ArrowRight: () => this.show(this.from + length / 5, this.to + length / 5),
          n: () => this.step(1), p: () => this.step(-1), Escape: () => this.choose(null),
        };
        if (acts[event.key]) {
          event.preventDefault();
          acts[event.key]();
        }
      });
    }
  }

  /** Where a strip is wider than the page, it begins at what the witness is about. */
  const lookAtWitness = () => {
    for (const table of document.querySelectorAll('.strip')) {
      const box = table.parentNode;
      const cell = table.querySelector('.wrong') || (table.querySelector('.events') || table).closest('td');
      const heading = table.querySelector('th').offsetWidth;
      if (cell) box.scrollLeft = cell.offsetLeft + cell.offsetWidth / 2 - heading / 2 - box.clientWidth / 2;
    }
  };

  hatch();
  lookAtWitness();
  const charts = [...document.querySelectorAll('[data-chart]')].map((figure) => new Chart(figure, data.charts[Number(figure.dataset.chart)]));
  let width = window.innerWidth;
  window.addEventListener('resize', () => {
    if (window.innerWidth !== width) {
      width = window.innerWidth;
      charts.forEach((chart) => chart.draw());
    }
  });
})();
