/* The workloads in compiled C: what the packet engine's nanoseconds are compared with.
 *
 * Time, draws, rules and statistics are those of qoslib, so that every counter, latency and history
 * bin must come out the same, but the program knows only what W1 to W6 need: a FIFO, deficit round
 * robin, MDRR and a tree of schedulers; tail drop and RED. It reads numbers on standard input (benchmarks/compiled.py
 * writes them), plays the run so many times and prints the best time and the results.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIFO, DRR, MDRR, TREE };
enum { PER_DOUBLING_BITS = 7, BINS = 52 << PER_DOUBLING_BITS, MOST = 128 };
#define SHIFT (52 - PER_DOUBLING_BITS)
#define FIRST_BIN (((int64_t)(1023 + 10) << 52) >> SHIFT)
#define FULL ((int64_t)1 << 62)
#define NEVER INT64_MAX

typedef struct { uint64_t key, counter; } draws_t;

typedef struct {
    int64_t poisson, clock_ps, clock_fraction, gap_ps, gap_fraction, first_class, classes;
    int64_t packet_class, low, high, min, max;
    double mean_gap_ps;
    draws_t draws;
} stream_t;

typedef struct {
    int64_t stream, queue, frame_bytes, service_ps, service_fraction, offered, sent, dropped;
    double share_below, red_minimum, red_maximum;
} class_t;

typedef struct { int64_t arrival_ps, packet_class; } slot_t;

typedef struct {
    int64_t limit, quantum, red, head, length, peak, deficit, visited, idle_since_ps;
    double weight, average;
    draws_t draws;
    slot_t *slots;
    uint64_t mask;
} queue_t;

typedef struct {
    int64_t end_ps, bins, scheduler, fast, streams, classes, queues, last;
    int64_t now_ps, line_ps, line_fraction, waiting, at_queue, edge, edge_ps;
    int64_t next_ps[MOST];
    stream_t stream[MOST];
    class_t class[3 * MOST];
    queue_t queue[MOST];
    int64_t *histogram, *past, *peaks;
    int64_t wake_ps, arrivals[2 * MOST];
    struct tree *tree;
} port_t;

static int64_t whole(void);

static inline uint64_t mixed(draws_t *draws)
{
    uint64_t z = draws->key + ++draws->counter * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double uniform(draws_t *draws)
{
    return (double)(mixed(draws) >> 11) * 0x1p-53;
}

static inline double exponential(draws_t *draws)
{
    return -log((double)((mixed(draws) >> 11) + 1) * 0x1p-53);
}

static inline void add(int64_t *whole, int64_t *fraction, int64_t more, int64_t more_fraction)
{
    *whole += more;
    *fraction += more_fraction;
    if (*fraction >= FULL) {
        *fraction -= FULL;
        *whole += 1;
    }
}

#include "tree.h"

static inline void advance(port_t *port, int64_t index)
{
    stream_t *stream = &port->stream[index];
    if (stream->poisson) {
        stream->clock_ps += (int64_t)(stream->mean_gap_ps * exponential(&stream->draws) + 0.5);
        port->next_ps[index] = stream->clock_ps;
    } else {
        port->next_ps[index] = stream->clock_ps;
        add(&stream->clock_ps, &stream->clock_fraction, stream->gap_ps, stream->gap_fraction);
    }
    int64_t chosen = stream->first_class;
    if (stream->classes > 1) {
        double draw = uniform(&stream->draws);
        int64_t last = chosen + stream->classes - 1;
        while (chosen < last && draw >= port->class[chosen].share_below)
            chosen++;
    }
    stream->packet_class = chosen;
}

static double power(double base, int64_t exponent)
{
    double result = 1.0;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

static inline int red_drops(queue_t *queue, const class_t *kind, int64_t now_ps)
{
    if (queue->length == 0)
        queue->average *= power(1.0 - queue->weight, (now_ps - queue->idle_since_ps) / kind->service_ps);
    queue->average += ((double)queue->length - queue->average) * queue->weight;
    if (queue->average < kind->red_minimum)
        return 0;
    if (queue->average >= kind->red_maximum)
        return 1;
    double slope = 1.0 / (kind->red_maximum - kind->red_minimum);
    return uniform(&queue->draws) < (queue->average - kind->red_minimum) * slope;
}

static inline void arrive(port_t *port, int64_t index, int64_t now_ps)
{
    int64_t packet_class = port->stream[index].packet_class;
    class_t *kind = &port->class[packet_class];
    queue_t *queue = &port->queue[kind->queue];
    advance(port, index);
    kind->offered++;
    if ((queue->red && red_drops(queue, kind, now_ps)) || queue->length >= queue->limit) {
        kind->dropped++;
        return;
    }
    queue->slots[(uint64_t)(queue->head + queue->length) & queue->mask] = (slot_t){now_ps, packet_class};
    queue->length++;
    if (queue->length > queue->peak)
        queue->peak = queue->length;
    port->waiting++;
    port->wake_ps = 0;
    if (port->scheduler == TREE && queue->length == 1) {
        join(port->tree, kind->queue);
        refresh(port->tree, port->queue, port->queues, kind->queue, now_ps, 0);
    }
}

static inline void move_on(port_t *port, queue_t *queue)
{
    queue->visited = 0;
    port->at_queue = port->at_queue + 1 < port->queues ? port->at_queue + 1 : 0;
}

static inline int64_t head_bytes(port_t *port, queue_t *queue)
{
    return port->class[queue->slots[(uint64_t)queue->head & queue->mask].packet_class].frame_bytes;
}

static inline int64_t choose(port_t *port)
{
    if (port->scheduler == FIFO)
        return 0;
    if (port->fast >= 0 && port->queue[port->fast].length)
        return port->fast;
    for (;;) {
        queue_t *queue = &port->queue[port->at_queue];
        if (queue->length && port->at_queue != port->fast) {
            if (!queue->visited) {
                queue->deficit += queue->quantum;
                queue->visited = 1;
            }
            if (port->scheduler == MDRR ? queue->deficit > 0 : head_bytes(port, queue) <= queue->deficit)
                return port->at_queue;
        }
        move_on(port, queue);
    }
}

static inline void count_latency(port_t *port, int64_t index, int64_t latency_ps)
{
    stream_t *stream = &port->stream[index];
    stream->low += latency_ps;
    stream->high += stream->low >> 40;
    stream->low &= ((int64_t)1 << 40) - 1;
    if (latency_ps < stream->min)
        stream->min = latency_ps;
    if (latency_ps > stream->max)
        stream->max = latency_ps;
    double value = (double)latency_ps;
    int64_t code;
    memcpy(&code, &value, sizeof code);
    code = (code >> SHIFT) - FIRST_BIN;
    code = code < 0 ? 0 : code >= BINS ? BINS - 1 : code;
    port->histogram[index * BINS + code]++;
}

static inline void serve(port_t *port, int64_t now_ps)
{
    int64_t index;
    if (port->scheduler == TREE) {
        index = choose_by_tree(port->tree, port->queue, port->queues, now_ps);
        if (index < 0) {
            port->wake_ps = port->tree->wake_ps[1];
            return;
        }
    } else
        index = choose(port);
    queue_t *queue = &port->queue[index];
    slot_t slot = queue->slots[(uint64_t)queue->head & queue->mask];
    class_t *kind = &port->class[slot.packet_class];
    int robin = port->scheduler == DRR || port->scheduler == MDRR;
    if (robin && index != port->fast)
        queue->deficit -= kind->frame_bytes;
    queue->head++;
    queue->length--;
    port->waiting--;
    if (queue->length == 0) {
        queue->idle_since_ps = now_ps;
        if (robin && index != port->fast) {
            queue->deficit = 0;
            if (port->at_queue == index)
                move_on(port, queue);
        }
    }
    if (port->scheduler == TREE) {
        charge(port->tree, kind, slot.packet_class, index, now_ps);
        if (queue->length == 0)
            leave(port->tree, index);
        refresh(port->tree, port->queue, port->queues, index, now_ps, 1);
    }
    if (port->line_ps < now_ps) {
        port->line_ps = now_ps;
        port->line_fraction = 0;
    }
    add(&port->line_ps, &port->line_fraction, kind->service_ps, kind->service_fraction);
    port->last = kind - port->class;
    if (port->line_ps <= port->end_ps) {
        kind->sent++;
        count_latency(port, kind->stream, port->line_ps - slot.arrival_ps);
    }
}

static void snapshot(port_t *port)
{
    int64_t *past = port->past + port->edge * port->classes * 3;
    for (int64_t i = 0; i < port->classes; i++) {
        past[3 * i] = port->class[i].offered;
        // Sent is what has left: not the packet that is still on the line.
        int64_t leaving = i == port->last && port->line_ps > port->edge_ps && port->line_ps <= port->end_ps;
        past[3 * i + 1] = port->class[i].sent - leaving;
        past[3 * i + 2] = port->class[i].dropped;
    }
    for (int64_t i = 0; i < port->queues; i++) {
        port->peaks[port->edge * port->queues + i] = port->queue[i].peak;
        port->queue[i].peak = port->queue[i].length;
    }
    port->edge++;
    port->edge_ps = port->edge < port->bins
        ? (int64_t)((__int128)port->end_ps * (port->edge + 1) / port->bins) : NEVER;
}

/* The tournament of the streams' next arrivals; of equals the first listed wins. */
static inline void replay_arrivals(port_t *port, int64_t changed)
{
    int64_t at = MOST + changed, winner = changed;
    while (at > 1) {
        int64_t other = port->arrivals[at ^ 1];
        winner = port->next_ps[other] - (at & 1) < port->next_ps[winner] ? other : winner;
        at >>= 1;
        port->arrivals[at] = winner;
    }
}

static void play(port_t *port)
{
    for (int64_t i = 0; i < MOST; i++) {
        port->arrivals[MOST + i] = i;
        if (i < port->streams)
            advance(port, i);
        else
            port->next_ps[i] = NEVER;
    }
    for (int64_t i = MOST - 1; i > 0; i--) {
        int64_t left = port->arrivals[2 * i], right = port->arrivals[2 * i + 1];
        port->arrivals[i] = port->next_ps[left] <= port->next_ps[right] ? left : right;
    }
    for (;;) {
        int64_t first = 0;
        if (port->scheduler == TREE)
            first = port->arrivals[1];
        else
            for (int64_t i = 1; i < port->streams; i++)
                first = port->next_ps[i] < port->next_ps[first] ? i : first;
        int64_t arrival_ps = port->next_ps[first];
        int64_t departure_ps = NEVER;
        if (port->waiting)
            departure_ps = port->line_ps > port->now_ps ? port->line_ps : port->now_ps;
        if (port->waiting && departure_ps < port->wake_ps)
            departure_ps = port->wake_ps;
        int64_t now_ps = arrival_ps < departure_ps ? arrival_ps : departure_ps;
        while ((now_ps < port->end_ps ? now_ps : port->end_ps) >= port->edge_ps)
            snapshot(port);
        if (now_ps >= port->end_ps)
            return;
        port->now_ps = now_ps;
        if (departure_ps <= arrival_ps)
            serve(port, now_ps);
        else {
            arrive(port, first, now_ps);
            if (port->scheduler == TREE)
                replay_arrivals(port, first);
        }
    }
}

static int64_t whole(void)
{
    long long value;
    if (scanf("%lld", &value) != 1)
        exit(2);
    return value;
}

static double real(void)
{
    double value;
    if (scanf("%la", &value) != 1)
        exit(2);
    return value;
}

static draws_t draws(void)
{
    unsigned long long key;
    if (scanf("%llu", &key) != 1)
        exit(2);
    return (draws_t){key, 0};
}

static void *cleared(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        exit(3);
    return memory;
}

static void read_port(port_t *port)
{
    port->end_ps = whole(), port->bins = whole(), port->scheduler = whole(), port->fast = whole();
    port->streams = whole(), port->classes = whole(), port->queues = whole();
    if (port->streams > MOST || port->classes > 3 * MOST || port->queues > MOST)
        exit(4);
    for (stream_t *s = port->stream; s < port->stream + port->streams; s++) {
        s->poisson = whole(), s->clock_ps = whole(), s->gap_ps = whole(), s->gap_fraction = whole();
        s->first_class = whole(), s->classes = whole(), s->mean_gap_ps = real(), s->draws = draws();
        s->min = NEVER;
    }
    for (class_t *c = port->class; c < port->class + port->classes; c++) {
        c->stream = whole(), c->queue = whole(), c->frame_bytes = whole();
        c->service_ps = whole(), c->service_fraction = whole();
        c->share_below = real(), c->red_minimum = real(), c->red_maximum = real();
    }
    for (queue_t *q = port->queue; q < port->queue + port->queues; q++) {
        q->limit = whole(), q->quantum = whole(), q->red = whole(), q->weight = real();
        q->draws = draws();
        q->mask = 1;
        while (q->mask <= (uint64_t)q->limit)
            q->mask = 2 * q->mask + 1;
        q->slots = cleared(q->mask + 1, sizeof(slot_t));
    }
    port->edge_ps = (int64_t)((__int128)port->end_ps / port->bins);
    if (port->scheduler == TREE) {
        port->tree = cleared(1, sizeof(tree_t));
        read_tree(port->tree, port->classes);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_results(const port_t *port, double best_s)
{
    printf("{\"best_s\": %.9f, \"classes\": [", best_s);
    for (int64_t i = 0; i < port->classes; i++) {
        const class_t *c = &port->class[i];
        printf("%s[%lld, %lld, %lld]", i ? ", " : "", (long long)c->offered, (long long)c->sent,
               (long long)c->dropped);
    }
    printf("], \"streams\": [");
    for (int64_t i = 0; i < port->streams; i++) {
        const stream_t *s = &port->stream[i];
        printf("%s[%lld, %lld, %lld, %lld]", i ? ", " : "", (long long)s->low, (long long)s->high,
               (long long)s->min, (long long)s->max);
    }
    uint64_t sum = 0;
    for (int64_t i = 0; i < port->streams * BINS; i++)
        sum = sum * 31 + (uint64_t)port->histogram[i];
    for (int64_t i = 0; i < port->bins * port->classes * 3; i++)
        sum = sum * 31 + (uint64_t)port->past[i];
    for (int64_t i = 0; i < port->bins * port->queues; i++)
        sum = sum * 31 + (uint64_t)port->peaks[i];
    printf("], \"sum\": %llu}\n", (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 1;
    port_t *start = cleared(1, sizeof *start), *port = cleared(1, sizeof *port);
    double best_s = INFINITY;
    read_port(start);
    for (int i = 0; i < repeats; i++) {
        double began_s = seconds();
        free(port->histogram), free(port->past), free(port->peaks);
        *port = *start;
        if (start->tree) {
            port->tree = cleared(1, sizeof(tree_t));
            memcpy(port->tree, start->tree, sizeof(tree_t));
        }
        port->histogram = cleared((size_t)(port->streams * BINS), sizeof(int64_t));
        port->past = cleared((size_t)(port->bins * port->classes * 3), sizeof(int64_t));
        port->peaks = cleared((size_t)(port->bins * port->queues), sizeof(int64_t));
        play(port);
        double took_s = seconds() - began_s;
        best_s = took_s < best_s ? took_s : best_s;
    }
    print_results(port, best_s);
    return 0;
}
