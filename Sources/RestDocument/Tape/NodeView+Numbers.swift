// SPDX-License-Identifier: Apache-2.0

extension NodeView {
    /// The float nearest to the number; `nil` if it is beyond the range of `Float`.
    var float: Float? {
        if kind == .integer { return Float(Int64(bitPattern: tapeNode.payload)) }
        guard let double else { return nil }
        var float = Float(double)
        // The double is halfway between two floats but may itself be rounded, so only the text
        // decides.
        let isHalfway = double.bitPattern & 0x1FFF_FFFF == 0x1000_0000
        if isHalfway || float.magnitude <= .leastNormalMagnitude, double != 0,
            let nearest = numberText.flatMap(Float.init)
        {
            float = nearest
        }
        return float.isFinite ? float : nil
    }
}

extension NodeView {
    @usableFromInline @inline(never)
    func int64FromText() -> Int64? {
        let decimal = ExactDecimal(self)
        guard let magnitude = decimal.integerMagnitude else { return nil }
        guard decimal.isNegative else { return Int64(exactly: magnitude) }
        return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }

    @usableFromInline @inline(never)
    func uint64FromText() -> UInt64? {
        let decimal = ExactDecimal(self)
        guard let magnitude = decimal.integerMagnitude else { return nil }
        return decimal.isNegative && magnitude != 0 ? nil : magnitude
    }
}

extension ExactDecimal {
    /// Creates the exact value of a number.
    init(_ view: NodeView) {
        unsafe self.init(view.contentPointer, count: view.numberBytes.count)
    }
}
