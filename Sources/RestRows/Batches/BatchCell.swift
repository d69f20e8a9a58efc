// SPDX-License-Identifier: Apache-2.0

/// A value of a batch's row in two words: a number, the node of a text, or the index of another value.
package struct BatchCell: BitwiseCopyable, Sendable {
    package enum Kind: UInt8, BitwiseCopyable, Sendable {
        case null, integer, double, text, other
    }

    package let kind: Kind
    package let bits: UInt64

    @inlinable package static var null: BatchCell { BatchCell(kind: .null, bits: 0) }

    @inlinable @inline(__always)
    package init(kind: Kind, bits: UInt64) {
        self.kind = kind
        self.bits = bits
    }
}
