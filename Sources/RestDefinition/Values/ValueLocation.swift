// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The location of a value about a list in the response for one of its pages.
public enum ValueLocation: Sendable, Hashable {
    /// A path in the body, from its root.
    case body(DocumentPath)
    /// A header field.
    case header(String)
    /// A path in the last record of the page.
    case lastRecord(DocumentPath)
}
