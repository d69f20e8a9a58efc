// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The properties that coalesced requests have in common.
struct CoalescingKey: Hashable {
    private let request: TransportRequest
    private let headerFields: HTTPFields
    // The hash of the URL, which usually differs; stored because a key is looked up several
    // times.
    private let hash: Int

    /// Creates the key of a request without body.
    init(_ request: TransportRequest, ignoring ignored: [HTTPField.Name]) {
        self.request = request
        hash = request.url.hashValue
        let fields = request.headerFields
        guard fields.contains(where: { ignored.contains($0.name) }) else {
            headerFields = fields
            return
        }
        var kept = HTTPFields()
        for field in fields where !ignored.contains(field.name) {
            kept.append(field)
        }
        headerFields = kept
    }

    static func == (left: CoalescingKey, right: CoalescingKey) -> Bool {
        let (one, other) = (left.request, right.request)
        return one.url == other.url && one.method == other.method
            && left.headerFields == right.headerFields && one.principal == other.principal
            && one.cachePolicy == other.cachePolicy && one.limits == other.limits
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
