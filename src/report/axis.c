/* axis.c -- ticks at round numbers, and their labels.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "template.h"

/* Returns how many multiples of step lie from low to high, with tolerance for rounding. */
static double count_of(double low, double high, double step)
{
    return floor(high / step + 1e-9) - ceil(low / step - 1e-9) + 1;
}

int bn_ticks(double *at, int room, double low, double high)
{
    static const double round_one[] = {1, 2, 5};
    at[0] = isfinite(low) ? low : 0;
    if (!(high > low) || !isfinite(high - low) || high - low < 1e-300)
        return 1;
    int exponent = (int)floor(log10((high - low) / room)) - 1;
    for (int i = 0; i < 12; i++) {
        double power = exponent + i / 3, step = round_one[i % 3] * pow(10, power);
        double count = count_of(low, high, step), first = ceil(low / step - 1e-9);
        if (count > room)
            continue;
        for (int k = 0; k < (int)count; k++)        /* 3 * 0.1 is not 0.3, but 3 / 10 is */
            at[k] = power < 0 ? (first + k) * round_one[i % 3] / pow(10, -power)
                              : (first + k) * step;
        return count >= 1 ? (int)count : 1;
    }
    return 1;
}

int bn_log_ticks(double *at, int room, double low, double high)
{
    int first = (int)ceil(log10(low) - 1e-9), last = (int)floor(log10(high) + 1e-9), count = 0;
    at[0] = low;
    int stride = (last - first) / room + 1;
    for (int e = first; e <= last && count < room; e += stride)
        at[count++] = pow(10, e);
    return count ? count : 1;
}

int bn_fine_ticks(double *at, int room, double low, double high)
{
    static const double round_one[] = {1, 2, 5};
    int first = (int)floor(log10(low)), last = (int)floor(log10(high) + 1e-9), count = 0;
    if (last - first >= room)
        return bn_log_ticks(at, room, low, high);
    for (int i = 3 * first; i <= 3 * last + 2; i++) {
        double v = round_one[(i % 3 + 3) % 3] * pow(10, floor(i / 3.0));
        if (v < low * (1 - 1e-9) || v > high * (1 + 1e-9))
            continue;
        if (count == room)
            return bn_log_ticks(at, room, low, high);
        at[count++] = v;
    }
    return count ? count : bn_log_ticks(at, room, low, high);
}

static void power_text(char *buf, int exponent)
{
    static const char *const high[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent < 0 ? -exponent : exponent);
    int at = snprintf(buf, 64, exponent < 0 ? "10⁻" : "10");
    for (const char *d = digits; *d; d++)
        at += snprintf(buf + at, 64 - (size_t)at, "%s", high[*d - '0']);
}

void bn_tick_text(char *buf, double v, bool power)
{
    static const char *const unit[] = {"", "k", "M", "G", "T", "P"};
    int u = 0, digits = 0;
    double whole = power && v > 0 ? rint(log10(v)) : NAN;
    if (power && v > 0 && fabs(log10(v) - whole) < 1e-9 &&
        (v < 0.9 || v > 11)) {
        power_text(buf, (int)whole);
        return;
    }
    if (v != 0 && fabs(v) < 1e-4) {
        bn_number_text(buf, v);
        return;
    }
    for (; fabs(v) >= 999.5 && u < 5; u++)
        v /= 1000;
    while (digits < 6 && fabs(v * pow(10, digits) - rint(v * pow(10, digits))) > 1e-6)
        digits++;
    bn_fixed(buf, v, digits, true);
    strcat(buf, unit[u]);
}

bn_json *bn_axis_tick(double v, double share, bool power)
{
    char text[64];
    bn_tick_text(text, v, power);
    return bn_json_pack("{sf,ss}", "at", share, "text", text);
}
