/* A server of a captured network, in plain C: it loads a model once, and answers requests until there are no more.

       facula-run --where        prints FOLDER
       gcc -O2 serve.c -o serve -I FOLDER/include -L FOLDER -lfacula_kernels.1 -Wl,-rpath,FOLDER -lm
       ./serve digits.facula < requests.txt

   A request is a line of numbers, the network's input; the answer is a line with the place of its greatest output and how
   sure it is. The answer to an invalid line is an error message, and the server continues with the next one. (A server on
   a socket would do the same with each message, with one model for each of its threads.) */
#include <facula_run.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_LINE = 1 << 16 };

static int64_t count_of(const struct facula_array *array)
{
    int64_t count = 1;
    for (int d = 0; d < array->ndim; d++)
        count *= array->shape[d];
    return count;
}

/* Read as many numbers as the input has from a line; return their number. */
static int64_t read_request(const char *line, const struct facula_array *input)
{
    const int64_t count = count_of(input);
    float *into = input->data;
    char *end;
    for (int64_t i = 0; i <= count; i++, line = end) {
        const float number = strtof(line, &end);
        if (end == line)
            return i;
        if (i < count)
            into[i] = number;
    }
    return count + 1;
}

/* Return the place of the greatest score, and its share of the sum of the exponentials. */
static int64_t choose(const struct facula_array *scores, double *share)
{
    const float *score = scores->data;
    int64_t best = 0;
    double sum = 0;
    for (int64_t i = 1; i < count_of(scores); i++)
        best = score[i] > score[best] ? i : best;
    for (int64_t i = 0; i < count_of(scores); i++)
        sum += exp(score[i] - score[best]);
    *share = 1 / sum;
    return best;
}

int main(int argc, char **argv)
{
    static char line[MOST_LINE];
    char error[FACULA_ERROR];
    if (argc != 2)
        return fprintf(stderr, "serve: expected a model\n"), 2;
    struct facula_model *model = facula_model_load(argv[1], 1, error);
    if (!model)
        return fprintf(stderr, "serve: %s\n", error), 1;
    const struct facula_array *input = facula_model_inputs(model, NULL), *scores = facula_model_outputs(model, NULL);
    if (input->dtype != FACULA_FLOAT32 || scores->dtype != FACULA_FLOAT32)
        return fprintf(stderr, "serve: expected a network from float32 to float32\n"), 1;
    while (fgets(line, sizeof line, stdin)) {
        const int64_t count = read_request(line, input);
        double share;
        if (count != count_of(input))
            printf("expected %lld numbers; got %s%lld\n", (long long)count_of(input), count > count_of(input) ? "at least " : "",
                   (long long)count);
        else if (facula_model_run(model, error))
            printf("%s\n", error);
        else {
            const int64_t best = choose(scores, &share);
            printf("%lld %.3f\n", (long long)best, share);
        }
        fflush(stdout);
    }
    facula_model_free(model);
    return 0;
}
