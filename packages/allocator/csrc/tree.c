/* Treaps of free blocks: search trees by (size, address) that are heaps by random priorities, and therefore shallow. */
#include "core.h"

#include <stddef.h>

static int less(const facula_block *a, const facula_block *b)
{
    return a->size != b->size ? a->size < b->size : a->address < b->address;
}

void facula_tree_insert(facula_block **root, facula_block *block)
{
    facula_block **at = root, *rest, **left = &block->left, **right = &block->right;
    while (*at && (*at)->priority >= block->priority)
        at = less(block, *at) ? &(*at)->left : &(*at)->right;
    rest = *at;
    *at = block;
    while (rest) {
        if (less(rest, block)) {
            *left = rest;
            left = &rest->right;
            rest = *left;
        } else {
            *right = rest;
            right = &rest->left;
            rest = *right;
        }
    }
    *left = *right = NULL;
}

void facula_tree_remove(facula_block **root, facula_block *block)
{
    facula_block **at = root, *left = block->left, *right = block->right;
    while (*at != block)
        at = less(block, *at) ? &(*at)->left : &(*at)->right;
    while (left && right) {
        if (left->priority >= right->priority) {
            *at = left;
            at = &left->right;
            left = *at;
        } else {
            *at = right;
            at = &right->left;
            right = *at;
        }
    }
    *at = left ? left : right;
}

facula_block *facula_tree_best(facula_block *root, int64_t size)
{
    facula_block *best = NULL;
    while (root) {
        if (root->size >= size) {
            best = root;
            root = root->left;
        } else {
            root = root->right;
        }
    }
    return best;
}
