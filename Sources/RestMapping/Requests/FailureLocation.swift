// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The location of a value without a representation, which is collected from the inside out.
struct FailureLocation {
    /// The path to the value, last step first.
    var components: [DocumentPath.Component] = []
    /// The index of the innermost mapping.
    var mapping: Int?
    /// The index of the property in that mapping.
    var property: Int?
    /// The kind of the value.
    var found = "a value without a representation"
}
