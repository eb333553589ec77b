import { BarChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { COLORS, HEIGHT, WIDTH, type Candidate } from './candidate.ts';

use([BarChart, GridComponent, TooltipComponent, DataZoomComponent, CanvasRenderer]);

/** ECharts with only the parts for stacked bars, zoom, and tooltips. */
const draw: Candidate = (element, { series, count }) => {
  const chart = init(element, undefined, { width: WIDTH, height: HEIGHT });
  chart.setOption({
    animation: false,
    color: COLORS,
    tooltip: { trigger: 'axis', transitionDuration: 0 },
    dataZoom: [{ type: 'inside', zoomLock: false, throttle: 0 }],
    xAxis: { type: 'category', data: Array.from({ length: count }, (_, index) => String(index)) },
    yAxis: { type: 'value' },
    series: series.map((data, index) => ({ type: 'bar', name: `s${index}`, stack: 'all', data: [...data] })),
  });
  chart.getZr().flush();
  return {
    showRange: (from, to) => {
      chart.dispatchAction({ type: 'dataZoom', startValue: from, endValue: to - 1 });
      chart.getZr().flush();
    },
    showTooltip: (bar) => {
      chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: bar });
      chart.getZr().flush();
    },
  };
};
export default draw;
