/* NumPy's .npy files, format versions 1 to 3.
 *
 * NumPy has no names for bfloat16 and the 8-bit floats: they are written as unsigned integers of their size, and
 * FILE.npy:bf16 reads them back (array.c). Big-endian and column-major files are turned around while reading. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/array.h"

static const struct {
	const char *descr;
	neso_dtype dtype;
} types[] = {
	{"b1", NESO_INT1},   {"i1", NESO_INT8},   {"i2", NESO_INT16},  {"i4", NESO_INT32}, {"i8", NESO_INT64},
	{"u1", NESO_UINT8},  {"u2", NESO_UINT16}, {"u4", NESO_UINT32}, {"u8", NESO_UINT64}, {"f2", NESO_FP16},
	{"f4", NESO_FP32},   {"f8", NESO_FP64},   {"V1", NESO_UINT8},  {"V2", NESO_UINT16},
};

/* The value after "'key':" in the header's dictionary, or NULL. */
static const char *find_key(const char *header, const char *key)
{
	char *quoted = take_printf("'%s'", key);
	const char *at = strstr(header, quoted);
	if (!at)
		return NULL;
	at += strlen(quoted);
	at += strspn(at, " ");
	return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool parse_shape(const char *text, Array *out)
{
	if (!text || *text != '(')
		return false;
	out->count = 1;
	for (text++; *text != ')'; text += strspn(text, ", ")) {
		char *end;
		long long size = strtoll(text, &end, 10);
		if (end == text || size < 0 || out->rank == ARRAY_MAX_RANK ||
		    (size && out->count > SIZE_MAX / 16 / (size_t)size))
			return false;
		out->shape[out->rank++] = size;
		out->count *= (size_t)size;
		text = end;
	}
	return true;
}

static bool parse_type(const char *text, Array *out, bool *swap)
{
	if (!text || (*text != '\'' && *text != '"'))
		return false;
	char order = text[1];
	if (!strchr("<>|=", order))
		return false;
	const uint16_t one = 1;
	bool little = *(const unsigned char *)&one == 1;
	*swap = (order == '>' && little) || (order == '<' && !little);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strncmp(text + 2, types[i].descr, 2) == 0 && text[4] == *text) {
			out->dtype = types[i].dtype;
			return true;
		}
	return false;
}

static void swap_bytes(unsigned char *data, size_t count, size_t size)
{
	for (size_t i = 0; i < count; i++, data += size)
		for (size_t k = 0; k < size / 2; k++) {
			unsigned char byte = data[k];
			data[k] = data[size - 1 - k];
			data[size - 1 - k] = byte;
		}
}

/* Column-major data into row-major. */
static void reorder(Array *out, const unsigned char *from)
{
	size_t size = neso_dtype_size(out->dtype);
	int64_t index[ARRAY_MAX_RANK] = {0};
	for (size_t i = 0; i < out->count; i++) {
		size_t at = 0, stride = 1;
		for (int k = 0; k < out->rank; k++) {
			at += (size_t)index[k] * stride;
			stride *= (size_t)out->shape[k];
		}
		memcpy((char *)out->data + i * size, from + at * size, size);
		for (int k = out->rank - 1; k >= 0 && ++index[k] == out->shape[k]; k--)
			index[k] = 0;
	}
}

bool npy_read(const char *path, Array *out)
{
	size_t len, header_at, header_len;
	unsigned char *bytes = (unsigned char *)read_file(path, &len);
	memset(out, 0, sizeof *out);
	if (!bytes)
		return false;
	if (len < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
		input_error("'%s' is no .npy file", path);
		return false;
	}
	header_len = bytes[8] | (size_t)bytes[9] << 8;
	header_at = 10;
	if (bytes[6] > 1) {
		header_len |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
		header_at = 12;
	}
	if (header_len > len - header_at) {
		input_error("'%s' ends in its header", path);
		return false;
	}
	char *header = take_text((const char *)bytes + header_at, header_len);
	const char *order = find_key(header, "fortran_order");
	bool swap;
	if (!parse_type(find_key(header, "descr"), out, &swap) || !parse_shape(find_key(header, "shape"), out) || !order) {
		input_error("'%s' holds a type or shape that is not known: %s", path, header);
		return false;
	}
	size_t size = neso_dtype_size(out->dtype);
	unsigned char *data = bytes + header_at + header_len;
	out->bytes = out->count * size;
	if (out->bytes > len - header_at - header_len) {
		input_error("'%s' ends in its data", path);
		return false;
	}
	if (swap)
		swap_bytes(data, out->count, size);
	out->data = array_alloc(out->bytes);
	if (strncmp(order, "True", 4) == 0)
		reorder(out, data);
	else
		memcpy(out->data, data, out->bytes);
	free(bytes);
	return true;
}

bool npy_write(const char *path, const Array *array)
{
	/* Types without a name of their own: unsigned integers of their size. */
	size_t size = neso_dtype_size(array->dtype);
	const char *descr = size == 1 ? "u1" : "u2";
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].dtype == array->dtype && types[i].descr[0] != 'V')
			descr = types[i].descr;
	char shape[ARRAY_MAX_RANK * 24] = "";
	for (int i = 0; i < array->rank; i++)
		snprintf(shape + strlen(shape), sizeof shape - strlen(shape), array->rank == 1 ? "%lld," : i ? ", %lld" : "%lld",
			 (long long)array->shape[i]);
	char *dict = take_printf("{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }", size == 1 ? '|' : '<', descr,
				 shape);
	size_t padded = (10 + strlen(dict) + 1 + 63) / 64 * 64, header_len = padded - 10;
	char *bytes = take(padded + array->bytes);
	memset(bytes, ' ', padded);
	memcpy(bytes, "\x93NUMPY\x01\x00", 8);
	bytes[8] = (char)(header_len & 0xff);
	bytes[9] = (char)(header_len >> 8);
	memcpy(bytes + 10, dict, strlen(dict));
	bytes[padded - 1] = '\n';
	memcpy(bytes + padded, array->data, array->bytes);
	bool good = write_file(path, bytes, padded + array->bytes);
	free(bytes);
	return good;
}
