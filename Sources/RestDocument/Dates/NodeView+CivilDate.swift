// SPDX-License-Identifier: Apache-2.0

import RestSyntax

extension NodeView {
    /// The moment of a string in one of the formats that ``DateText`` reads; `nil` for any other
    /// value.
    var civilDate: CivilDate? {
        unsafe kind.isString ? withTextBytes { unsafe DateText.read($0.span) } : nil
    }
}
