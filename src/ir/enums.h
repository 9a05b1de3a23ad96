/* Enumerated attributes: i32 integers in the IR, words in the text. The values are upstream's, because some
 * of its forms print the number. */
#ifndef NESO_IR_ENUMS_H
#define NESO_IR_ENUMS_H

typedef enum {
	CMPI_EQ, CMPI_NE, CMPI_SLT, CMPI_SLE, CMPI_SGT, CMPI_SGE, CMPI_ULT, CMPI_ULE, CMPI_UGT, CMPI_UGE
} IrCmpI;
typedef enum {
	CMPF_FALSE, CMPF_OEQ, CMPF_OGT, CMPF_OGE, CMPF_OLT, CMPF_OLE, CMPF_ONE, CMPF_ORD,
	CMPF_UEQ, CMPF_UGT, CMPF_UGE, CMPF_ULT, CMPF_ULE, CMPF_UNE, CMPF_UNO, CMPF_TRUE
} IrCmpF;
typedef enum { CACHE_NONE = 1, CACHE_CA, CACHE_CG, CACHE_WB, CACHE_CS, CACHE_WT, CACHE_CV } IrCache;
typedef enum { EVICT_NORMAL = 1, EVICT_FIRST, EVICT_LAST } IrEvict;
typedef enum { PAD_ZERO = 1, PAD_NAN } IrPadding; /* absent: the value out of bounds is undefined */
typedef enum {
	RMW_AND = 1, RMW_OR, RMW_XOR, RMW_ADD, RMW_FADD, RMW_MAX, RMW_MIN, RMW_UMAX, RMW_UMIN, RMW_XCHG
} IrRmw;
typedef enum { SEM_RELAXED = 1, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL } IrSem;
typedef enum { SCOPE_GPU = 1, SCOPE_CTA, SCOPE_SYS } IrScope;
typedef enum { PREC_TF32, PREC_TF32X3, PREC_IEEE, PREC_BF16X3, PREC_BF16X6 } IrPrecision;
typedef enum { ROUND_RTZ, ROUND_RTNE } IrRounding;
typedef enum { NAN_NONE, NAN_ALL = 0xffff } IrPropagateNan;
typedef enum { SCALE_E4M3, SCALE_E5M2, SCALE_E2M3, SCALE_E3M2, SCALE_E2M1, SCALE_BF16, SCALE_FP16 } IrScaleFormat;
typedef enum { DESC_ADD = 1, DESC_MIN, DESC_MAX, DESC_INC, DESC_DEC, DESC_AND, DESC_OR, DESC_XOR } IrDescReduce;

#endif
