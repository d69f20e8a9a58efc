// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping

@Mapped struct Place: Equatable {
    var latitude: Double?
    var longitude: Double?
}

@Mapped struct Address: Equatable {
    var id: Int?
    var city: String?
    var state: String?
    var country: String?
}

@Mapped struct User {
    var id: Int?
    var name: String?
    var address: Address?
    var place: Place?
}
#endif
