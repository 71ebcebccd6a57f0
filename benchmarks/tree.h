/* W6: a tree of schedulers, included by twin.c. Bands of strict priority, guarantees of queues and
 * excess, shapers of nodes; no guarantees of nodes and no shapers of queues.
 */
enum { NONE = 1 << 20, MOST_NODES = 4 * MOST, BANDS = 8 };

typedef struct {
    int64_t parent, place, depth, within, beyond, first, size, nonempty;
    int64_t band, turn_ps, leaf, kind;
    int64_t shaped, shape_burst_ps, shape_tat, shape_fraction;
    int64_t guaranteed, credit_burst_ps, credit_tat, credit_fraction;
    int64_t turns[BANDS], reached[BANDS];
} node_t;

typedef struct { int64_t shape_ps, shape_fraction, credit_ps, credit_fraction, turn_ps, excess_ps; } step_t;

typedef struct tree {
    int64_t nodes, first_within, first_beyond, steps, matched, wakes;
    node_t node[MOST_NODES];
    int64_t path[3 * MOST], match[4 * MOST_NODES], wake_ps[4 * MOST_NODES];
    step_t step[12 * MOST];
} tree_t;

static inline void put_wake(tree_t *tree, int64_t index, int64_t wake_ps)
{
    int64_t at = tree->wakes + index;
    tree->wake_ps[at] = wake_ps;
    while (at > 1) {
        int64_t other = tree->wake_ps[at ^ 1], least = wake_ps < other ? wake_ps : other;
        at >>= 1;
        if (tree->wake_ps[at] == least)
            return;
        tree->wake_ps[at] = wake_ps = least;
    }
}

static inline int64_t queue_goes(tree_t *tree, node_t *node, const queue_t *queue, int64_t now_ps)
{
    int64_t band = node->beyond, wake_ps = NEVER;
    if (!queue->length) {
        node->band = NONE;
        return NEVER;
    }
    node->kind = queue->slots[(uint64_t)queue->head & queue->mask].packet_class;
    if (node->within < tree->first_within)
        band = node->within;
    else if (node->guaranteed) {
        const step_t *step = &tree->step[tree->path[node->kind] + node->depth];
        int64_t covered_ps = node->credit_tat + step->credit_ps - node->credit_burst_ps;
        if (covered_ps <= now_ps)
            band = node->within;
        else
            wake_ps = covered_ps;
    }
    node->band = band;
    node->turn_ps = node->turns[band];
    return wake_ps;
}

static inline int64_t node_goes(tree_t *tree, node_t *node, int64_t now_ps)
{
    const node_t *child = &tree->node[tree->match[node->first + 1]];
    node->band = child->band;
    if (child->band == NONE)
        return NEVER;
    node->leaf = child->leaf;
    node->kind = child->kind;
    node->turn_ps = node->turns[child->band];
    if (node->shaped) {
        const step_t *step = &tree->step[tree->path[child->kind] + node->depth];
        int64_t ready_ps = node->shape_tat + step->shape_ps - node->shape_burst_ps;
        if (ready_ps > now_ps) {
            node->band = NONE;
            return ready_ps;
        }
    }
    return NEVER;
}

static inline void replay(tree_t *tree, int64_t index)
{
    const node_t *node = &tree->node[index], *parent = &tree->node[node->parent];
    int64_t at = parent->size + node->place, winner = index, band = node->band, turn_ps = node->turn_ps;
    while (at > 1) {
        int64_t rival = tree->match[parent->first + (at ^ 1)];
        const node_t *other = &tree->node[rival];
        int beaten = other->band < band || (other->band == band && other->turn_ps - (at & 1) < turn_ps);
        winner = beaten ? rival : winner;
        band = beaten ? other->band : band;
        turn_ps = beaten ? other->turn_ps : turn_ps;
        at >>= 1;
        tree->match[parent->first + at] = winner;
    }
}

static inline void refresh(tree_t *tree, const queue_t *queues, int64_t count, int64_t index, int64_t now_ps, int whole)
{
    for (;;) {
        node_t *node = &tree->node[index];
        int64_t band = node->band, turn_ps = node->turn_ps, leaf = node->leaf, kind = node->kind;
        int64_t wake_ps = index < count ? queue_goes(tree, node, &queues[index], now_ps)
                                        : node_goes(tree, node, now_ps);
        put_wake(tree, index, wake_ps);
        if (node->parent < 0)
            return;
        if (!whole && band == node->band && turn_ps == node->turn_ps && leaf == node->leaf && kind == node->kind)
            return;
        replay(tree, index);
        index = node->parent;
    }
}

static inline int64_t choose_by_tree(tree_t *tree, const queue_t *queues, int64_t count, int64_t now_ps)
{
    while (tree->wake_ps[1] <= now_ps) {
        int64_t at = 1;
        while (at < tree->wakes) {
            at *= 2;
            at += tree->wake_ps[at] > now_ps;
        }
        refresh(tree, queues, count, at - tree->wakes, now_ps, 0);
    }
    const node_t *root = &tree->node[tree->nodes - 1];
    return root->band == NONE ? -1 : root->leaf;
}

static inline void take(int64_t *tat, int64_t *fraction, int64_t now_ps, int64_t more, int64_t more_fraction)
{
    if (*tat < now_ps) {
        *tat = now_ps;
        *fraction = 0;
    }
    add(tat, fraction, more, more_fraction);
}

static inline void charge(tree_t *tree, const class_t *kind, int64_t packet_class, int64_t leaf, int64_t now_ps)
{
    int64_t band = tree->node[tree->nodes - 1].band, index = leaf;
    const step_t *first = &tree->step[tree->path[packet_class]];
    for (;;) {
        node_t *node = &tree->node[index];
        const step_t *step = first + node->depth;
        if (index == leaf && band >= tree->first_within && band < tree->first_beyond)
            take(&node->credit_tat, &node->credit_fraction, now_ps, step->credit_ps, step->credit_fraction);
        if (node->shaped)
            take(&node->shape_tat, &node->shape_fraction, now_ps, step->shape_ps, step->shape_fraction);
        if (node->parent < 0)
            return;
        int64_t *reached = &tree->node[node->parent].reached[band];
        *reached = *reached > node->turns[band] ? *reached : node->turns[band];
        int64_t strict_ps = kind->service_ps > 1 ? kind->service_ps : 1;
        node->turns[band] += band >= tree->first_beyond ? step->excess_ps
                             : band >= tree->first_within ? step->turn_ps : strict_ps;
        index = node->parent;
    }
}

static inline void join(tree_t *tree, int64_t index)
{
    while (tree->node[index].parent >= 0) {
        node_t *node = &tree->node[index], *parent = &tree->node[node->parent];
        for (int64_t band = 0; band < BANDS; band++)
            if (node->turns[band] < parent->reached[band])
                node->turns[band] = parent->reached[band];
        if (parent->nonempty++)
            return;
        index = node->parent;
    }
}

static inline void leave(tree_t *tree, int64_t index)
{
    while (tree->node[index].parent >= 0) {
        index = tree->node[index].parent;
        if (--tree->node[index].nonempty)
            return;
    }
}

static void read_tree(tree_t *tree, int64_t classes)
{
    tree->nodes = whole(), tree->first_within = whole(), tree->first_beyond = whole();
    tree->steps = whole(), tree->matched = whole(), tree->wakes = whole();
    if (tree->nodes >= MOST_NODES || tree->steps > 12 * MOST || tree->matched > 4 * MOST_NODES)
        exit(4);
    for (node_t *n = tree->node; n < tree->node + tree->nodes; n++) {
        n->parent = whole(), n->place = whole(), n->depth = whole(), n->within = whole();
        n->beyond = whole(), n->first = whole(), n->size = whole(), n->shaped = whole();
        n->shape_burst_ps = whole(), n->guaranteed = whole(), n->credit_burst_ps = whole();
        n->band = NONE, n->leaf = n - tree->node;
    }
    tree->node[tree->nodes].band = NONE;
    for (step_t *s = tree->step; s < tree->step + tree->steps; s++) {
        s->shape_ps = whole(), s->shape_fraction = whole(), s->credit_ps = whole();
        s->credit_fraction = whole(), s->turn_ps = whole(), s->excess_ps = whole();
    }
    for (int64_t i = 0; i < classes; i++)
        tree->path[i] = whole();
    for (int64_t i = 0; i < tree->matched; i++)
        tree->match[i] = whole();
    for (int64_t i = 0; i < 2 * tree->wakes; i++)
        tree->wake_ps[i] = NEVER;
}
