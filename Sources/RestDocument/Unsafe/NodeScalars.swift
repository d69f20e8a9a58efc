// SPDX-License-Identifier: Apache-2.0

extension NodeView {
    /// The float nearest to the number; `nil` when it is beyond the range of `Float`.
    var float: Float? {
        if kind == .integer { return Float(Int64(bitPattern: node.payload)) }
        guard let double else { return nil }
        var float = Float(double)
        // A double between two floats was rounded itself: only the text says to which side.
        let isHalfway = double.bitPattern & 0x1FFF_FFFF == 0x1000_0000
        if isHalfway || float.magnitude <= .leastNormalMagnitude, double != 0,
            let nearest = numberText.flatMap(Float.init)
        {
            float = nearest
        }
        return float.isFinite ? float : nil
    }

    /// The moment a text names, in one of the forms ``DateText`` reads; `nil` for anything else.
    var civilDate: CivilDate? {
        unsafe kind.isString ? withTextBytes { unsafe DateText.read($0.span) } : nil
    }
}
